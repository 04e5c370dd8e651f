/**
 * The same items, each requested while the previous one is processed, so that reading and planning overlap. An error
 * of the source is thrown in place of its item. The source is closed when the consumer stops early.
 */
export async function* oneAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const item = await next;
      if (item.done === true) return;
      next = iterator.next();
      // The `await` above handles a rejection. Without this line Node would end the process first, while the item is processed.
      next.catch(() => undefined);
      yield item.value;
    }
  } finally {
    // The prefetched value is no longer needed, and its error would hide the original one.
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}
