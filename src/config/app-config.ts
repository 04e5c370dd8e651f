/** Injection token of the validated configuration, an `AppConfig`. */
export const APP_CONFIG = Symbol('APP_CONFIG');
