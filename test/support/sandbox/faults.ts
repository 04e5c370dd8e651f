export type Fault =
  | { readonly kind: 'throttle' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds: number | null }
  /** The connection is cut: before anything happens, or after the request was carried out and before it is answered. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' };

export interface FaultScope {
  /** How many requests meet the fault; 1 by default. */
  readonly count?: number;
  /** Only requests with this operation name or root field; any request by default. */
  readonly operation?: string;
}

interface Armed {
  readonly fault: Fault;
  readonly operation: string | null;
  left: number;
}

/** Faults that wait for the requests they are meant for. They are used up in the order in which they were armed. */
export class Faults {
  private armed: Armed[] = [];

  arm(fault: Fault, { count = 1, operation }: FaultScope = {}): void {
    this.armed.push({ fault, operation: operation ?? null, left: count });
  }

  /** The fault that a request of these names meets, if any; `names` are its operation name and root fields. */
  next(names: readonly string[]): Fault | null {
    const met = this.armed.find(({ operation }) => operation === null || names.includes(operation));
    if (!met) return null;
    met.left -= 1;
    if (met.left <= 0) this.armed = this.armed.filter((each) => each !== met);
    return met.fault;
  }

  clear(): void {
    this.armed = [];
  }
}
