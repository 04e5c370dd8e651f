import { z } from 'zod';
import { FieldValidationError, parseOrRefuse } from './errors.js';

/** The query of a request, each parameter with all its values in order. Empty values count as not given. */
export function queryValues(url: string): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URL(url, 'http://query.invalid').searchParams) {
    if (value !== '') values.set(name, [...(values.get(name) ?? []), value]);
  }
  return Object.fromEntries(values);
}

/** A parameter of which the last value counts. */
export const single = <Value>(schema: z.ZodType<Value, string>) =>
  z
    .array(z.string())
    .transform((values) => values.at(-1) ?? '')
    .pipe(schema)
    .optional();

/** A parameter that may be repeated, comma-separated, or both. */
export const list = z
  .array(z.string())
  .transform((values) =>
    values
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  )
  .optional();

export const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'A whole number is required.')
  .transform(Number);

const localeQuery = z.object({ locale: single(z.string()) });

/** The locale of a request in its canonical form (`de_at` is `de-AT`), or the workspace's default. */
export function requestLocale(url: string, defaultLocale: string): string {
  const { locale } = parseOrRefuse(localeQuery, queryValues(url));
  if (locale === undefined) return defaultLocale;
  try {
    return Intl.getCanonicalLocales(locale.replaceAll('_', '-'))[0] ?? defaultLocale;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FieldValidationError({ locale: [`${JSON.stringify(locale)} is not a locale.`] });
  }
}
