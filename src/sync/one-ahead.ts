/**
 * The same items, each asked for while its predecessor is still being worked: reading and planning overlap. An error of the
 * source comes where its item would have come. The source is closed when the consumer stops early.
 */
export async function* oneAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const item = await next;
      if (item.done === true) return;
      next = iterator.next();
      yield item.value;
    }
  } finally {
    // The prefetched value is no longer needed, and its error would hide the original one.
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}
