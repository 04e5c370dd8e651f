import { CronTime, validateCronExpression } from 'cron';

/**
 * The usual expressions: numbers and lists, on days that every month has. All of them are valid. The library takes a tenth of a
 * process that only receives deliveries, because it loads Node's data of languages and time zones.
 */
const USUAL_CRON = new RegExp(
  [
    String.raw`^(?:\*|\*\/[1-9]|[1-5]?\d(?:,[1-5]?\d)*)`,
    String.raw`(?:\*|\*\/[1-9]|(?:1?\d|2[0-3])(?:,(?:1?\d|2[0-3]))*)`,
    String.raw`(?:\*|[1-9]|1\d|2[0-8])`,
    String.raw`(?:\*|[1-9]|1[0-2])`,
    String.raw`(?:\*|[0-6](?:,[0-6])*)$`,
  ].join(' '),
);

/** Whether an expression is one of cron's. False also for a valid one that never matches a date, such as the 30th of February. */
export function isCronExpression(expression: string): boolean {
  if (USUAL_CRON.test(expression)) return true;
  if (!validateCronExpression(expression).valid) return false;
  try {
    new CronTime(expression, 'UTC').sendAt();
    return true;
  } catch {
    // The library throws when it finds no date within eight years.
    return false;
  }
}

/** Whether Node knows a time zone of this name. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  // The list has no other names of the same zones, and a formatter, which knows them, loads the data of all languages.
  if (name === 'UTC' || Intl.supportedValuesOf('timeZone').includes(name)) return true;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // RangeError is how Intl answers "unknown time zone".
    return false;
  }
}
