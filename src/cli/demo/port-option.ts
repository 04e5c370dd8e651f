import { InvalidArgumentError } from 'commander';

/** The value of `--port`. Throws what commander prints for an option that is wrong. */
export function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a port`);
  return Number(text);
}
