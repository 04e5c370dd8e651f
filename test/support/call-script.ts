type Interjection = () => unknown;

/**
 * The calls of a fake, and the events that a test inserts: before the effect (a refusal, a fault, a halt) or after it
 * (a lost response).
 */
export class CallScript<Operation extends string> {
  readonly calls: { readonly operation: Operation; readonly args: readonly unknown[] }[] = [];
  readonly #before = new Map<Operation, Interjection[]>();
  readonly #after = new Map<Operation, Interjection[]>();

  /** Does `work` before the next `times` calls of the operation take effect; what it throws is what the call throws. */
  before(operation: Operation, work: Interjection, times = 1): void {
    add(this.#before, operation, work, times);
  }

  /** Does `work` after the effect, before the caller gets the result. */
  after(operation: Operation, work: Interjection, times = 1): void {
    add(this.#after, operation, work, times);
  }

  async run<T>(operation: Operation, args: readonly unknown[], effect: () => T | Promise<T>): Promise<T> {
    this.calls.push({ operation, args });
    await this.#before.get(operation)?.shift()?.();
    const result = await effect();
    await this.#after.get(operation)?.shift()?.();
    return result;
  }

  count(operation: Operation): number {
    return this.calls.filter((call) => call.operation === operation).length;
  }

  operations(): Operation[] {
    return this.calls.map((call) => call.operation);
  }

  forget(): void {
    this.calls.length = 0;
  }

  reset(): void {
    this.forget();
    this.#before.clear();
    this.#after.clear();
  }
}

function add<Operation>(
  map: Map<Operation, Interjection[]>,
  operation: Operation,
  work: Interjection,
  times: number,
): void {
  const list = map.get(operation) ?? [];
  for (let count = 0; count < times; count += 1) list.push(work);
  map.set(operation, list);
}

/** Blocks its callers until the test opens it, at the point where a process is to die or to be overtaken. */
export class Gate {
  readonly #arrival = Promise.withResolvers<undefined>();
  readonly #opening = Promise.withResolvers<undefined>();

  /** Resolves when the first caller is blocked. */
  get reached(): Promise<unknown> {
    return this.#arrival.promise;
  }

  readonly hold = async (): Promise<void> => {
    this.#arrival.resolve(undefined);
    await this.#opening.promise;
  };

  open(): void {
    this.#opening.resolve(undefined);
  }
}
