import { CronTime, validateCronExpression } from 'cron';

/** The answers so far: a search takes a millisecond, and a thousand stores may share an expression. */
const judged = new Map<string, boolean>();

/** Whether an expression is one of cron's. False also for a valid one that never matches a date, such as the 30th of February. */
export function isCronExpression(expression: string): boolean {
  const known = judged.get(expression) ?? comesDue(expression);
  judged.set(expression, known);
  return known;
}

function comesDue(expression: string): boolean {
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
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // RangeError is how Intl answers "unknown time zone".
    return false;
  }
}
