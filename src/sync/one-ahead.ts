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
    // What was asked for ahead is nobody's any more; its error would only hide the one that led here.
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}
