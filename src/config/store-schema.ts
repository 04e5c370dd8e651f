import { z } from 'zod';
import { METAFIELD_NAME, METAFIELD_SELECTION } from '../domain/metafield-key.js';
import { STORE_FIELDS } from '../domain/store-port.js';
import { isPublicHost } from '../domain/web-address.js';
import { IMAGE_ALTS } from '../domain/write-target.js';
import { patternProblem } from '../runtime/linear-pattern.js';
import {
  amount,
  duration,
  LOCALE_CODE,
  onOff,
  optionalAddress,
  optionalText,
  section,
  text,
} from './fields.js';
import { isCronExpression, isTimezone } from './schedule-text.js';

const contentSource = /^(name|description|html_description|brand|category|sections\..+)$/;
const variantSource = /^(description|html_description|sections\..+)$/;

/** The store reads no more metafields by name at once. */
const MOST_ATTRIBUTES = 250;

const metafieldName = z
  .string()
  .regex(METAFIELD_NAME, 'namespace.key of a metafield')
  .or(z.literal(''))
  .default('');

/** `auto`, `vendor`, `none`, or a metafield. */
const brandSource = z
  .string()
  .refine(
    (name) => ['auto', 'vendor', 'none'].includes(name) || METAFIELD_NAME.test(name),
    'auto, vendor, none, or namespace.key of a metafield',
  )
  .default('auto');

const forbiddenPattern = z
  .string()
  .min(1)
  .superRefine((pattern, context) => {
    const problem = patternProblem(pattern);
    if (problem !== null)
      context.addIssue(`a pattern of RE2, without look-around or back-references (${problem})`);
  });

const credentials = section({
  accessToken: optionalText,
  clientId: optionalText,
  clientSecret: optionalText,
}).superRefine((auth, context) => {
  const pair = [auth.clientId, auth.clientSecret].filter((part) => part !== undefined).length;
  const complete = auth.accessToken === undefined ? pair === 2 : pair === 0;
  if (!complete) context.addIssue('either accessToken, or clientId and clientSecret');
});

const schedule = section({
  cron: z
    .string()
    .refine(isCronExpression, 'a cron expression that comes due, such as "0 2 * * *"')
    .default('0 2 * * *'),
  timezone: z.string().refine(isTimezone, 'a time zone such as Europe/Berlin').default('UTC'),
  fullEvery: amount(7, { min: 1, max: 100_000 }),
  // Milliseconds. Less than a day, so that the starts of two nights cannot change places.
  spread: duration('0', { max: '12h' }),
});

const writtenFields = z
  .record(
    z.string().regex(contentSource, 'name, description, html_description, brand, category or sections.CODE'),
    z.enum([...STORE_FIELDS, 'tags', IMAGE_ALTS]),
  )
  .superRefine((fields, context) => {
    // Tags are only added, so that several fields can add theirs.
    const targets = Object.values(fields).filter((target) => target !== 'tags');
    const twice = targets.find((target, index) => targets.indexOf(target) !== index);
    if (twice !== undefined) context.addIssue(`each store field once (${twice} is named twice)`);
  })
  .default({ name: 'title', html_description: 'descriptionHtml' });

/** A map from sources to metafields, each of which is named once. */
function metafieldMap(source: z.ZodString) {
  return z
    .record(source, z.string().regex(METAFIELD_NAME, 'namespace.key of a metafield'))
    .superRefine((metafields, context) => {
      const names = Object.values(metafields);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) context.addIssue(`each metafield once (${twice} is named twice)`);
      if (names.length > MOST_ATTRIBUTES) context.addIssue(`${MOST_ATTRIBUTES} attributes at most`);
    })
    .default({});
}

const storeShape = {
  kind: z.literal('shopify').default('shopify'),
  workspace: text,
  shop: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/,
      'a shop domain such as example.myshopify.com, in lower case',
    ),
  auth: credentials,
  apiVersion: z
    .string()
    .regex(/^\d{4}-(01|04|07|10)$/, 'a version such as "2026-10"')
    .default('2026-10'),
  endpoint: optionalAddress,
  webhookSecret: optionalText,
  schedule,
  filter: section({
    status: z
      .array(z.enum(['ACTIVE', 'ARCHIVED', 'DRAFT', 'UNLISTED']))
      .min(1)
      .default(['ACTIVE']),
    query: z.string().default(''),
    giftCards: z.boolean().default(false),
  }),
  limits: section({
    maxChangedShare: amount(1, { min: 0, max: 1, whole: false }),
    maxOrphanedShare: amount(0.2, { min: 0, max: 1, whole: false }),
    maxWritesPerRun: amount(0, { min: 0 }),
    maxWritesPerDay: amount(0, { min: 0 }),
  }),
  deleted: z.enum(['keep', 'report', 'delete']).default('keep'),
  mapping: section({
    openAttributes: z
      .array(z.string().regex(METAFIELD_SELECTION, 'namespace.key or namespace.* of metafields'))
      .default([]),
    mpn: metafieldName,
    asin: metafieldName,
    brand: brandSource,
    sourceUrl: metafieldName,
    referenceString: metafieldName,
    productLists: z.array(z.string().min(1)).default([]),
    tags: z.record(z.string().min(1), z.int().positive()).default({}),
  }),
  writeBack: section({
    mode: z.enum(['auto', 'review', 'off']).default('auto'),
    onConflict: z.enum(['skip', 'overwrite']).default('skip'),
    fields: writtenFields,
    attributes: metafieldMap(z.string().min(1)),
    variants: metafieldMap(z.string().regex(variantSource, 'description, html_description or sections.CODE')),
    definitions: z.enum(['none', 'create']).default('none'),
    sections: z
      .strictObject({
        namespace: z.string().regex(/^[A-Za-z0-9_-]{3,255}$/, '3 to 255 letters, digits, - and _'),
      })
      .nullable()
      .default(null),
    keep: z.array(z.enum(['img', 'iframe', 'video', 'table'])).default(['img', 'iframe', 'video', 'table']),
    imageHosts: z
      .array(
        z.string().refine(isPublicHost, 'a public host without scheme and path, such as images.example.com'),
      )
      .default([]),
    gates: section({
      title: section({ maxLength: amount(0, { min: 0, max: 255 }) }),
      descriptionHtml: section({
        minLength: amount(0, { min: 0 }),
        maxLength: amount(0, { min: 0 }),
      }),
      forbid: z.array(forbiddenPattern).default([]),
      numbers: onOff(false),
      language: onOff(true),
      shrink: amount(0.5, { min: 0, max: 1, whole: false }),
      media: onOff(false),
      onFail: z.enum(['review', 'block']).default('review'),
    }),
    locales: z
      .array(z.string().regex(LOCALE_CODE, 'a locale such as fr or pt-BR'))
      .refine((locales) => new Set(locales.map(canonical)).size === locales.length, 'each locale once')
      .default([]),
  }),
};

export const storeSchema = section(storeShape);

const { shop: _shop, ...templateShape } = storeShape;
/** In `storeTemplate.workspace`: the name of the shop, as in `tenant-{shop}`. */
export const SHOP_PLACEHOLDER = '{shop}';

/** A store of the install flow has these settings, and the shop that the merchant installs the app in. */
export const storeTemplateSchema = section(templateShape);

/** Compares locales by their canonical form, which is more than letter case. */
export function canonical(locale: string): string {
  return locale.replaceAll('_', '-').toLowerCase();
}
