import { RestError, NotInSandbox } from './model.js';

/** The parameters of a request. Those that the API refuses are collected, because it names all of them at once. */
export class Query {
  private readonly refused = new Map<string, { readonly code: string; readonly message: string }>();

  constructor(private readonly values: URLSearchParams) {}

  /** Throws for a parameter that the sandbox does not have: one that it ignored would look like an answer. */
  only(known: readonly string[]): this {
    for (const name of this.values.keys())
      if (!ALWAYS.has(name) && !known.includes(name.replace(/\[\d*\]$/, '')))
        throw new NotInSandbox(`parameter ${name}`);
    return this;
  }

  text(name: string): string | null {
    const value = this.values.get(name);
    return value === null || value === '' ? null : value;
  }

  flag(name: string): boolean {
    return ['true', '1'].includes(this.values.get(name) ?? '');
  }

  integer(name: string, otherwise: number, lowest: number, highest = Number.MAX_SAFE_INTEGER): number {
    const text = this.text(name);
    if (text === null) return otherwise;
    const value = Number(text);
    if (Number.isInteger(value) && value >= lowest && value <= highest) return value;
    this.refuse(name, 'rest_out_of_bounds', `${name} must be between ${lowest} and ${highest}`);
    return otherwise;
  }

  oneOf<const T extends string>(name: string, otherwise: T, allowed: readonly T[]): T {
    const text = this.text(name);
    if (text === null) return otherwise;
    const found = allowed.find((value) => value === text);
    if (found === undefined)
      this.refuse(name, 'rest_not_in_enum', `${name} is not one of ${allowed.join(', ')}.`);
    return found ?? otherwise;
  }

  /** `a,b` or `name[]=a&name[]=b`; null when the parameter is absent. */
  list(name: string): readonly string[] | null {
    const values = [...this.values].flatMap(([key, value]) =>
      key.replace(/\[\d*\]$/, '') === name ? value.split(',') : [],
    );
    const filled = values.map((value) => value.trim()).filter((value) => value !== '');
    return filled.length === 0 ? null : filled;
  }

  ids(name: string): readonly number[] | null {
    return this.list(name)?.map(Number) ?? null;
  }

  /**
   * The parts of a time: its digits as if they were UTC, and whether it names a zone. A date alone or a Unix time is refused.
   */
  time(name: string): { readonly digits: number; readonly hasZone: boolean } | null {
    const text = this.text(name);
    if (text === null) return null;
    const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/i.exec(text);
    if (!parts) {
      this.refuse(name, 'rest_invalid_date', 'Invalid date.');
      return null;
    }
    return {
      digits: Date.parse(`${parts[1] ?? ''}T${parts[2] ?? ''}${parts[3] ?? 'Z'}`),
      hasZone: parts[3] !== undefined,
    };
  }

  refuse(name: string, code: string, message: string): void {
    this.refused.set(name, { code, message });
  }

  /** Throws when a parameter was refused. */
  check(): void {
    refuseParameters(this.refused);
  }
}

/** `rest_invalid_param` with every refused parameter; nothing when there is none. */
export function refuseParameters(
  refused: ReadonlyMap<string, { readonly code: string; readonly message: string }>,
): void {
  if (refused.size === 0) return;
  throw new RestError(400, 'rest_invalid_param', `Invalid parameter(s): ${[...refused.keys()].join(', ')}`, {
    params: Object.fromEntries([...refused].map(([name, { message }]) => [name, message])),
    details: Object.fromEntries([...refused].map(([name, detail]) => [name, { ...detail, data: null }])),
  });
}

const ALWAYS = new Set([
  '_fields',
  'context',
  'consumer_key',
  'consumer_secret',
  'oauth_consumer_key',
  'oauth_timestamp',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_version',
]);
