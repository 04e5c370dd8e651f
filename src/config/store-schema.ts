import { z } from 'zod';
import { METAFIELD_NAME, METAFIELD_SELECTION } from '../domain/metafield-key.js';
import { shopIdentity } from '../domain/external-id.js';
import { withoutTrailing } from '../domain/text.js';
import { STORE_FIELDS } from '../domain/store-port.js';
import { isPublicHost } from '../domain/web-address.js';
import { IMAGE_ALTS, SHORT_DESCRIPTION } from '../domain/write-target.js';
import { patternProblem } from '../runtime/linear-pattern.js';
import {
  address,
  amount,
  closed,
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
  .refine((name) => name === '' || METAFIELD_NAME.test(name), 'namespace.key of a metafield')
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
})
  .superRefine((auth, context) => {
    const pair = [auth.clientId, auth.clientSecret].filter((part) => part !== undefined).length;
    const complete = auth.accessToken === undefined ? pair === 2 : pair === 0;
    if (!complete) context.addIssue('either accessToken, or clientId and clientSecret');
  })
  .describe(
    '`{ clientId, clientSecret }` or `{ accessToken }` (docs/shopify.md); of kind `woocommerce`, `{ consumerKey, consumerSecret }`',
  );

const schedule = section({
  cron: z
    .string()
    .refine(isCronExpression, 'a cron expression that comes due, such as "0 2 * * *"')
    .default('0 2 * * *')
    .describe('when a run is due'),
  timezone: z
    .string()
    .refine(isTimezone, 'a time zone such as Europe/Berlin')
    .default('UTC')
    .describe('of the schedule'),
  fullEvery: amount(7, { min: 1, max: 100_000 }).describe(
    'every so many runs of the schedule read the whole store; the others only what changed',
  ),
});

const writtenFields = z
  .record(
    z.string().regex(contentSource, 'name, description, html_description, brand, category or sections.CODE'),
    z.enum([...STORE_FIELDS, SHORT_DESCRIPTION, 'tags', IMAGE_ALTS]),
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

const shopifyShape = {
  kind: z.literal('shopify').default('shopify').describe('`shopify`, or `woocommerce` (docs/woocommerce.md)'),
  shop: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/,
      'a shop domain such as example.myshopify.com, in lower case',
    )
    .describe('of kind `shopify`: `example.myshopify.com`; no two stores may name the same one'),
  auth: credentials,
  apiVersion: z
    .string()
    .regex(/^\d{4}-(01|04|07|10)$/, 'a version such as "2026-10"')
    .default('2026-10')
    .describe('of the Admin API'),
  endpoint: optionalAddress.describe('base URL in place of `https://{shop}`: a proxy, the sandbox, a test'),
};

const woocommerceShape = {
  kind: z.literal('woocommerce'),
  url: address().describe(
    'of kind `woocommerce`: the address of the shop, above `wp-json`; `http` on the loopback only',
  ),
  auth: section({
    consumerKey: text,
    consumerSecret: text,
  }),
};

const anyShape = {
  workspace: text.describe('a key of `workspaces`'),
  webhookSecret: optionalText.describe(
    "what the store signs its events with, of Shopify the app's client secret; without it they are not listened to",
  ),
  schedule,
  filter: section({
    status: z
      .array(z.enum(['ACTIVE', 'ARCHIVED', 'DRAFT', 'UNLISTED']))
      .min(1)
      .default(['ACTIVE'])
      .describe('of `ACTIVE`, `ARCHIVED`, `DRAFT`, `UNLISTED`'),
    query: z.string().default('').describe("the store's own search syntax"),
  }),
  limits: section({
    maxChangedShare: amount(1, { min: 0, max: 1, whole: false }).describe(
      'share of the linked products; a run that would change more stops before applying',
    ),
    maxOrphanedShare: amount(0.2, { min: 0, max: 1, whole: false }).describe(
      'the same for products that are gone',
    ),
    maxWritesPerRun: amount(0, { min: 0 }).describe(
      'products that are written in the store from one run to the next; the others wait, reverts do not. 0: any number',
    ),
    maxWritesPerDay: amount(0, { min: 0 }).describe('the same for a day of `schedule.timezone`'),
  }),
  deleted: z
    .enum(['keep', 'report', 'delete'])
    .default('keep')
    .describe(
      'catalog products whose source is gone: `keep` keeps them without their identifiers, `report` also lists them, `delete` deletes them (within `limits.maxOrphanedShare`)',
    ),
  mapping: section({
    openAttributes: z
      .array(z.string().regex(METAFIELD_SELECTION, 'namespace.key or namespace.* of metafields'))
      .default([])
      .describe('metafields to pass on: `namespace.key` or `namespace.*`'),
    mpn: metafieldName.describe("the metafield (`namespace.key`) with the manufacturer's part number"),
    asin: metafieldName.describe('the metafield with the ASIN'),
    brand: brandSource.describe(
      "`vendor`, `none`, or `namespace.key` of a metafield; `auto` is the vendor, unless it is a placeholder such as `n/a`, or the shop's own name",
    ),
    sourceUrl: metafieldName.describe(
      'the metafield with the address of the page that the service shall read where it finds none, of at most 2,048 characters',
    ),
    referenceString: metafieldName.describe(
      'the metafield with the text that the service shall search by, of at most 1,000 characters',
    ),
    productLists: z
      .array(z.string().min(1))
      .default([])
      .describe("codes of the service's product lists that every product of the store joins"),
    tags: z
      .record(z.string().min(1), z.int().positive())
      .default({})
      .describe("store tag to the id of the service's tag, such as `{ sale: 12 }`: `tags_to_update`"),
  }),
  writeBack: section({
    mode: z
      .enum(['auto', 'review', 'off'])
      .default('auto')
      .describe(
        '`review` waits for an approval, `off` writes nothing; both hold for texts that are ready, too',
      ),
    onConflict: z
      .enum(['skip', 'overwrite'])
      .default('skip')
      .describe('`overwrite` goes over what the merchant edited'),
    fields: writtenFields.describe(
      'catalog field (`name`, `description`, `html_description`, `brand`, `category`, `sections.CODE`) to store field (docs/shopify.md, docs/woocommerce.md)',
    ),
    attributes: metafieldMap(z.string().min(1)).describe(
      'attribute code to product metafield, such as `material: custom.material`; a value that does not fit its definition is reported and not written',
    ),
    variants: metafieldMap(
      z.string().regex(variantSource, 'description, html_description or sections.CODE'),
    ).describe(
      '`description`, `html_description` or `sections.CODE` of a variant to a metafield of variants',
    ),
    definitions: z
      .enum(['none', 'create'])
      .default('none')
      .describe('`create` defines missing metafields in the store, so that the admin and themes show them'),
    sections: z
      .strictObject({
        namespace: z.string().regex(/^[A-Za-z0-9_-]{3,255}$/, '3 to 255 letters, digits, - and _'),
      })
      .nullable()
      .default(null)
      .describe(
        '`{ namespace: catalog }` makes metafields of the attributes that neither `fields` nor `attributes` names',
      ),
    keep: z
      .array(z.enum(['img', 'iframe', 'video', 'table']))
      .default(['img', 'iframe', 'video', 'table'])
      .describe(
        "elements of the merchant's description that stay after a generated one, in their order; `[]` replaces all",
      ),
    imageHosts: z
      .array(
        z.string().refine(isPublicHost, 'a public host without scheme and path, such as images.example.com'),
      )
      .default([])
      .describe(
        "hosts of pictures in generated texts, beside the store's own and those that the product uses already; other pictures are left out and listed",
      ),
    gates: section({
      title: section({ maxLength: amount(0, { min: 0, max: 255 }) }).describe(
        'most characters of a generated title; 0: no bound',
      ),
      descriptionHtml: section({
        minLength: amount(0, { min: 0 }),
        maxLength: amount(0, { min: 0 }),
      }).describe("least and most characters of a generated description's plain text; 0: no bound"),
      forbid: z
        .array(forbiddenPattern)
        .default([])
        .describe('patterns of RE2 that no generated text may match, such as `(?i)best price`'),
      numbers: onOff(false).describe(
        "a number with a unit in a generated text must occur in the merchant's texts or in an attribute",
      ),
      language: onOff(true).describe(
        "a generated text is in the workspace's locale; short texts are not judged, nor any without a locale",
      ),
      shrink: amount(0.5, { min: 0, max: 1, whole: false }).describe(
        "least share of the present description's length that a generated one has; 0: off",
      ),
      onFail: z
        .enum(['review', 'block'])
        .default('review')
        .describe('whether a text that fails a gate waits for review, in any mode, or is skipped (`block`)'),
    }),
    locales: z
      .array(z.string().regex(LOCALE_CODE, 'a locale such as fr or pt-BR'))
      .refine((locales) => new Set(locales.map(canonical)).size === locales.length, 'each locale once')
      .default([])
      .describe(
        "further locales: the shop's own texts are pushed in each, and results are written as translations",
      ),
  }),
};

/** The settings by the kind of the store. `shop` names the shop of any kind: its permanent domain, or its address. */
export const storeSchema = z
  .preprocess(
    withKind,
    z.discriminatedUnion(
      'kind',
      [closed({ ...shopifyShape, ...anyShape }), closed({ ...woocommerceShape, ...anyShape })],
      { error: unknownKind },
    ),
  )
  .transform((store) =>
    store.kind === 'woocommerce' ? { ...store, shop: withoutScheme(store.url) } : store,
  );

/** With the path: the shops of a WordPress network are in folders of one host. */
function withoutScheme(url: string): string {
  const { host, pathname } = new URL(url);
  return withoutTrailing(`${host}${pathname}`, '/');
}

/** Where the requests to a store go. */
export function storeAddress(
  store:
    | { readonly kind: 'shopify'; readonly shop: string; readonly endpoint?: string | undefined }
    | { readonly kind: 'woocommerce'; readonly url: string },
): string {
  return store.kind === 'woocommerce' ? store.url : (store.endpoint ?? `https://${store.shop}`);
}

/** The beginning of the external_ids of a store's products; null where the shop itself says it. */
export function configuredIdentity({
  kind,
  shop,
}: {
  readonly kind: string;
  readonly shop: string;
}): string | null {
  return kind === 'woocommerce' ? null : shopIdentity(kind, shop);
}

/** The message for a store of an unknown kind. A store that is no map gets the usual message. */
function unknownKind({ code }: { readonly code?: string }): string | undefined {
  return code === 'invalid_union' ? 'expected "shopify" or "woocommerce"' : undefined;
}

/** A store that names no kind is of the first one. */
function withKind(value: unknown): unknown {
  const settings = value ?? {};
  return typeof settings === 'object' && !('kind' in settings) ? { ...settings, kind: 'shopify' } : settings;
}

const { shop: _shop, ...ownShape } = shopifyShape;
const templateShape = { ...ownShape, ...anyShape };
/** In `storeTemplate.workspace`: the name of the shop, as in `tenant-{shop}`. */
export const SHOP_PLACEHOLDER = '{shop}';

/** A store of the install flow has these settings, and the shop that the merchant installs the app in. */
export const storeTemplateSchema = section(templateShape);

/** Compares locales by their canonical form, which is more than letter case. */
export function canonical(locale: string): string {
  return locale.replaceAll('_', '-').toLowerCase();
}
