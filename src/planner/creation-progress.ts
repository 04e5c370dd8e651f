/** The state of the background task that creates a product; `unreadable` where tasks are out of reach or unknown. */
export type CreationTaskState = 'running' | 'succeeded' | 'unreadable';

/**
 * How long a creation is waited for when its product is not to be found, in milliseconds since it was asked for. A task that
 * succeeded leaves a search index some minutes; one that nobody can read may still be running.
 */
const GIVE_UP_AFTER_MS: Readonly<Record<CreationTaskState, number>> = {
  succeeded: 10 * 60_000,
  unreadable: 60 * 60_000,
  running: 24 * 3_600_000,
};

const REASONS: Readonly<Record<CreationTaskState, string>> = {
  succeeded: 'the catalog says that it created the product, and does not have it',
  unreadable: 'the catalog does not report the outcome of the creation, and does not have the product',
  running: 'the catalog did not finish the creation within a day',
};

/**
 * Whether a creation whose product was not found is still waited for. Null: yes. Otherwise the reason, for people,
 * why it is given up: the product is owed and created again.
 */
export function whyCreationIsGivenUp(task: CreationTaskState, ageMs: number): string | null {
  return ageMs > GIVE_UP_AFTER_MS[task] ? REASONS[task] : null;
}
