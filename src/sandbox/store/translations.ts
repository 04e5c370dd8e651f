import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { connectionOf } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { parseGid } from './model.js';
import type { Translation } from './model.js';
import { normaliseHtml, slug } from './product-html.js';
import { metafieldDigest } from './product-import.js';
import { requireScope } from './request-context.js';
import type { RequestContext } from './request-context.js';

export interface TranslationInput {
  readonly locale: string;
  readonly key: string;
  readonly value: string;
  readonly translatableContentDigest: string;
  readonly marketId?: string | null;
}

interface TranslatableContent {
  readonly key: string;
  readonly value: string;
  readonly digest: string;
  readonly locale: string;
  readonly type: string;
}

interface TranslationUserError {
  readonly field: readonly string[];
  readonly message: string;
  readonly code: string;
}

const MAX_ENTRIES = 100;

/** `translatableResource`: null for a resource that does not exist or is never translated. */
export function translatableResource(
  { resourceId }: { resourceId: string },
  context: RequestContext,
): object | null {
  requireScope(context, 'translatableResource', 'read_translations');
  const content = contentOf(resourceId, context);
  if (!content) return null;
  return {
    resourceId,
    translatableContent: content,
    translations: (args: { locale: string; outdated?: boolean | null }) =>
      translationView(resourceId, args, context),
  };
}

/** `translatableResourcesByIds`: those that exist, in the order of the ids. */
export function translatableResourcesByIds(
  args: ConnectionArgs & { readonly resourceIds: readonly string[] },
  context: RequestContext,
): Connection<object> {
  requireScope(context, 'translatableResourcesByIds', 'read_translations');
  const found = args.resourceIds.flatMap((resourceId, index) => {
    const view = translatableResource({ resourceId }, context);
    return view === null ? [] : [{ view, position: { id: index, value: index } }];
  });
  const items = args.reverse ? found.reverse() : found;
  return connectionOf(
    items,
    args,
    ({ position }) => position,
    ({ view }) => view,
  );
}

/** The translations into a locale, each compared with the content as it is now. */
export function translationView(
  resourceId: string,
  { locale, outdated }: { locale: string; outdated?: boolean | null },
  context: RequestContext,
): object[] {
  const translations = context.state
    .translations(resourceId)
    .filter((translation) => translation.locale === locale);
  // A search for the content of each metafield without a translation would make an export quadratic.
  if (translations.length === 0) return [];
  const content = contentOf(resourceId, context) ?? [];
  return translations
    .map((translation) => viewOf(translation, content))
    .filter((view) => outdated === null || outdated === undefined || view.outdated === outdated);
}

/** `translationsRegister`, entry by entry: good ones are registered beside the errors of the others. */
export function translationsRegister(
  { resourceId, translations }: { resourceId: string; translations: readonly TranslationInput[] },
  context: RequestContext,
): object {
  requireScope(context, 'translationsRegister', 'write_translations');
  const content = contentOf(resourceId, context);
  if (!content) return { translations: null, userErrors: [resourceMissing(resourceId)] };
  if (translations.length > MAX_ENTRIES) {
    const message = `Too many translation keys for the resource: at most ${MAX_ENTRIES}`;
    return {
      translations: null,
      userErrors: [{ field: ['resourceId'], message, code: 'TOO_MANY_KEYS_FOR_RESOURCE' }],
    };
  }
  const userErrors: TranslationUserError[] = [];
  const registered: Translation[] = [];
  for (const [index, input] of translations.entries()) {
    const problem = problemOf(input, content, context);
    if (problem) userErrors.push({ ...problem, field: ['translations', String(index), ...problem.field] });
    else registered.push(registeredOf(input, context));
  }
  if (registered.length > 0) {
    const replaced = new Set(registered.map(nameOf));
    const kept = context.state.translations(resourceId).filter((each) => !replaced.has(nameOf(each)));
    const last = new Map(registered.map((each) => [nameOf(each), each]));
    context.state.setTranslations(resourceId, [...kept, ...last.values()]);
  }
  return { translations: registered.map((each) => viewOf(each, content)), userErrors };
}

/** `translationsRemove`: null, without an error, where there was nothing to remove. */
export function translationsRemove(
  args: { resourceId: string; translationKeys: readonly string[]; locales: readonly string[] },
  context: RequestContext,
): object {
  requireScope(context, 'translationsRemove', 'write_translations');
  const content = contentOf(args.resourceId, context);
  if (!content) return { translations: null, userErrors: [resourceMissing(args.resourceId)] };
  const isMeant = (each: Translation): boolean =>
    args.translationKeys.includes(each.key) && args.locales.includes(each.locale);
  const present = context.state.translations(args.resourceId);
  const removed = present.filter(isMeant);
  if (removed.length === 0) return { translations: null, userErrors: [] };
  context.state.setTranslations(
    args.resourceId,
    present.filter((each) => !isMeant(each)),
  );
  return { translations: removed.map((each) => viewOf(each, content)), userErrors: [] };
}

function problemOf(
  input: TranslationInput,
  content: readonly TranslatableContent[],
  context: RequestContext,
): TranslationUserError | null {
  const locale = context.state.locales.find((each) => each.locale === input.locale);
  const error = (field: string, message: string, code: string): TranslationUserError => ({
    field: [field],
    message,
    code,
  });
  if (input.marketId) {
    throw new GraphQLError('The sandbox store has no markets.', { extensions: { code: 'BAD_REQUEST' } });
  }
  if (locale?.primary) {
    return error(
      'locale',
      "Locale cannot be the same as the shop's primary locale",
      'INVALID_LOCALE_FOR_SHOP',
    );
  }
  if (!locale) return error('locale', 'Locale is not a valid locale for the shop', 'INVALID_LOCALE_FOR_SHOP');
  const source = content.find((each) => each.key === input.key);
  if (!source)
    return error('key', `Key ${input.key} is not a valid translatable field`, 'INVALID_KEY_FOR_MODEL');
  if (input.value.trim() === '') return error('value', "Value can't be blank", 'FAILS_RESOURCE_VALIDATION');
  if (source.digest !== input.translatableContentDigest) {
    return error(
      'translatableContentDigest',
      'Translatable content hash is invalid',
      'INVALID_TRANSLATABLE_CONTENT',
    );
  }
  return null;
}

/** The store normalises translations as it does the original. */
function registeredOf(input: TranslationInput, context: RequestContext): Translation {
  const normalisers: Readonly<Record<string, (text: string) => string>> = {
    handle: slug,
    body_html: normaliseHtml,
  };
  return {
    key: input.key,
    locale: input.locale,
    value: normalisers[input.key]?.(input.value) ?? input.value,
    sourceDigest: input.translatableContentDigest,
    updatedAt: context.state.now(),
  };
}

/** The translatable texts of a product or a metafield; empty texts are not listed, the product type always is. */
function contentOf(resourceId: string, context: RequestContext): TranslatableContent[] | null {
  const parsed = parseGid(resourceId);
  const id = Number(parsed?.id);
  const locale = context.state.locales.find((each) => each.primary)?.locale ?? 'en';
  if (parsed?.type === 'Metafield') {
    const metafields = context.state
      .products()
      .flatMap((product) => [
        ...product.metafields,
        ...product.variants.flatMap((variant) => variant.metafields),
      ]);
    const found = metafields.find((metafield) => metafield.id === id);
    const type = {
      multi_line_text_field: 'MULTI_LINE_TEXT_FIELD',
      rich_text_field: 'RICH_TEXT_FIELD',
      json: 'JSON',
      url: 'URL',
    };
    return found
      ? [
          {
            key: 'value',
            value: found.value,
            digest: metafieldDigest(found.value),
            locale,
            type: typeNamed(type, found.type),
          },
        ]
      : null;
  }
  const product = parsed?.type === 'Product' ? context.state.product(id) : undefined;
  if (!product) return null;
  const all = [
    { key: 'title', value: product.title, type: 'SINGLE_LINE_TEXT_FIELD' },
    { key: 'body_html', value: product.descriptionHtml, type: 'HTML' },
    { key: 'handle', value: product.handle, type: 'URI' },
    { key: 'product_type', value: product.productType, type: 'SINGLE_LINE_TEXT_FIELD' },
    { key: 'meta_title', value: product.seoTitle ?? '', type: 'SINGLE_LINE_TEXT_FIELD' },
    { key: 'meta_description', value: product.seoDescription ?? '', type: 'MULTI_LINE_TEXT_FIELD' },
  ];
  return all
    .filter(({ key, value }) => key === 'product_type' || value !== '')
    .map((content) => ({ ...content, digest: sha256(content.value), locale }));
}

function typeNamed(names: Readonly<Record<string, string>>, type: string): string {
  return names[type] ?? 'SINGLE_LINE_TEXT_FIELD';
}

function viewOf(
  translation: Translation,
  content: readonly TranslatableContent[],
): { outdated: boolean } & Translation {
  const source = content.find((each) => each.key === translation.key);
  return { ...translation, outdated: source?.digest !== translation.sourceDigest };
}

function nameOf({ key, locale }: Translation): string {
  return `${locale} ${key}`;
}

function resourceMissing(resourceId: string): TranslationUserError {
  return {
    field: ['resourceId'],
    message: `Resource ${resourceId} does not exist`,
    code: 'RESOURCE_NOT_FOUND',
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
