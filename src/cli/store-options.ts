import type { CommonOptions } from './command.js';

/** Options of commands about one store. */
export interface StoreOptions extends CommonOptions {
  readonly store: string;
  readonly full?: boolean;
  readonly json?: boolean;
}
