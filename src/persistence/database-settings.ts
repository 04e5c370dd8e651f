/** Injection token of the `DatabaseSettings`. */
export const DATABASE_SETTINGS = Symbol('DATABASE_SETTINGS');

export interface DatabaseSettings {
  readonly url: string;
  /** Connections at most. */
  readonly poolSize: number;
  /** Applies pending migrations before anything else starts. */
  readonly migrate: boolean;
}
