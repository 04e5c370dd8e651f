/** Injection token of the `DatabaseSettings`. */
export const DATABASE_SETTINGS = Symbol('DATABASE_SETTINGS');

export interface DatabaseSettings {
  readonly url: string;
  /** The most connections at once. */
  readonly poolSize: number;
  /** Applies pending migrations before anything else starts. */
  readonly migrate: boolean;
}
