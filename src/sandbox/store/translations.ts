import { createHash } from 'node:crypto';
import { connectionOf } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { parseGid } from './model.js';
import type { Translation } from './model.js';
import { normaliseHtml } from './product-html.js';
import { metafieldDigest } from './product-import.js';
import { translationsOf } from './product-view.js';
import { requireScope } from './request-context.js';
import type { RequestContext } from './request-context.js';

export interface TranslationInput {
  readonly locale: string;
  readonly key: string;
  readonly value: string;
  readonly translatableContentDigest: string;
}

interface TranslatableContent {
  readonly key: string;
  readonly digest: string;
}

interface TranslationUserError {
  readonly field: readonly string[];
  readonly message: string;
  readonly code: string;
}

const MAX_ENTRIES = 100;

/** `translatableResourcesByIds`: those that exist, in the order of the ids. */
export function translatableResourcesByIds(
  args: ConnectionArgs & { readonly resourceIds: readonly string[] },
  context: RequestContext,
): Connection<object> {
  requireScope(context, 'translatableResourcesByIds', 'read_translations');
  const found = args.resourceIds.flatMap((resourceId, id) => {
    const translatableContent = contentOf(resourceId, context);
    const translations = translationsOf(resourceId, context);
    return translatableContent ? [{ id, view: { resourceId, translatableContent, translations } }] : [];
  });
  return connectionOf(
    found,
    args,
    ({ id }) => ({ id, value: id }),
    ({ view }) => view,
  );
}

/** `translationsRegister`, entry by entry: good ones are registered beside the errors of the others. */
export function translationsRegister(
  { resourceId, translations }: { resourceId: string; translations: readonly TranslationInput[] },
  context: RequestContext,
): object {
  requireScope(context, 'translationsRegister', 'write_translations');
  const content = contentOf(resourceId, context);
  if (!content) return missing(resourceId);
  if (translations.length > MAX_ENTRIES) {
    const message = `Too many translation keys for the resource: at most ${MAX_ENTRIES}`;
    const code = 'TOO_MANY_KEYS_FOR_RESOURCE';
    return { translations: null, userErrors: [{ field: ['resourceId'], message, code }] };
  }
  const userErrors: TranslationUserError[] = [];
  const registered: Translation[] = [];
  for (const [index, input] of translations.entries()) {
    const problem = problemOf(input, content, context);
    if (problem) userErrors.push({ ...problem, field: ['translations', String(index), ...problem.field] });
    else registered.push(registeredOf(input));
  }
  const kept = new Map(context.state.translations(resourceId).map((each) => [nameOf(each), each]));
  for (const each of registered) kept.set(nameOf(each), each);
  context.state.setTranslations(resourceId, [...kept.values()]);
  return { translations: registered, userErrors };
}

/** `translationsRemove`: null, without an error, where there was nothing to remove. */
export function translationsRemove(
  args: { resourceId: string; translationKeys: readonly string[]; locales: readonly string[] },
  context: RequestContext,
): object {
  requireScope(context, 'translationsRemove', 'write_translations');
  if (!contentOf(args.resourceId, context)) return missing(args.resourceId);
  const isMeant = (each: Translation): boolean =>
    args.translationKeys.includes(each.key) && args.locales.includes(each.locale);
  const present = context.state.translations(args.resourceId);
  const removed = present.filter(isMeant);
  context.state.setTranslations(
    args.resourceId,
    present.filter((each) => !isMeant(each)),
  );
  return { translations: removed.length === 0 ? null : removed, userErrors: [] };
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
  if (locale === undefined || locale.primary) {
    const message = locale
      ? "Locale cannot be the same as the shop's primary locale"
      : 'Locale is not a valid locale for the shop';
    return error('locale', message, 'INVALID_LOCALE_FOR_SHOP');
  }
  const source = content.find((each) => each.key === input.key);
  if (!source)
    return error('key', `Key ${input.key} is not a valid translatable field`, 'INVALID_KEY_FOR_MODEL');
  if (input.value.trim() === '') return error('value', "Value can't be blank", 'FAILS_RESOURCE_VALIDATION');
  if (source.digest === input.translatableContentDigest) return null;
  const message = 'Translatable content hash is invalid';
  return error('translatableContentDigest', message, 'INVALID_TRANSLATABLE_CONTENT');
}

/** The store normalises translations as it does the original. */
function registeredOf({ key, locale, value }: TranslationInput): Translation {
  return { key, locale, value: key === 'body_html' ? normaliseHtml(value) : value };
}

/** The translatable texts of a product or a metafield; empty texts are not listed, the product type always is. */
function contentOf(resourceId: string, { state }: RequestContext): TranslatableContent[] | null {
  const parsed = parseGid(resourceId);
  const id = Number(parsed?.id);
  if (parsed?.type === 'Metafield') {
    const owners = state.products().flatMap((product) => [product, ...product.variants]);
    const found = owners.flatMap(({ metafields }) => metafields).find((metafield) => metafield.id === id);
    return found ? [{ key: 'value', digest: metafieldDigest(found.value) }] : null;
  }
  const product = parsed?.type === 'Product' ? state.product(id) : undefined;
  if (!product) return null;
  return Object.entries({
    title: product.title,
    body_html: product.descriptionHtml,
    product_type: product.productType,
    meta_title: product.seoTitle ?? '',
    meta_description: product.seoDescription ?? '',
  })
    .filter(([key, value]) => key === 'product_type' || value !== '')
    .map(([key, value]) => ({ key, digest: createHash('sha256').update(value).digest('hex') }));
}

function nameOf({ key, locale }: Translation): string {
  return `${locale} ${key}`;
}

function missing(resourceId: string): object {
  const message = `Resource ${resourceId} does not exist`;
  const userErrors = [{ field: ['resourceId'], message, code: 'RESOURCE_NOT_FOUND' }];
  return { translations: null, userErrors };
}
