/** Injection token of the resolved settings. */
export const SETTINGS = Symbol('catalog-sandbox-settings');
