/**
 * SQL: true for a store whose merchant uninstalled the app, by an expression for its key. Its pause stands until the app is installed
 * again, or until the store works with settings of a file.
 */
export function isUninstalled(store: string): string {
  return `EXISTS (SELECT 1 FROM store_installation AS gone JOIN store_state AS rests ON rests.store = gone.store_key
    WHERE gone.store_key = ${store} AND gone.uninstalled_at IS NOT NULL AND rests.paused_scope = 'everything')`;
}
