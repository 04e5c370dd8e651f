import type { ArrivedPart } from '../domain/arrived-content.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { valueHash } from '../domain/written-content.js';
import { isTag } from '../domain/write-target.js';
import { GENERATED_FIELDS, type GeneratedProduct, type GeneratedVariant } from './generated-content.js';
import { storableText } from '../domain/text.js';
import { attributesOf, canonicalSource, MOST_ATTRIBUTES, SECTION } from './section-attributes.js';

const EXCERPT_LENGTH = 120;

/**
 * Every field and attribute of a result, and where it is written. `pushed` has a hash by catalog field of the value that store-sync
 * sent. A field that returns with the same value was not generated, and is left out.
 */
export function arrivedParts(
  product: GeneratedProduct,
  intended: readonly IntendedValue[],
  settings: WriteBackSettings,
  pushed: Readonly<Record<string, string>>,
): ArrivedPart[] {
  const targets = new Map(
    intended.map(({ from, target }) => [canonicalSource(product, from), isTag(target) ? 'tags' : target]),
  );
  const mapped = Object.keys(settings.attributes).map((code) => `${SECTION}${code}`);
  const configured = new Set(
    [...Object.keys(settings.fields), ...mapped].map((from) => canonicalSource(product, from)),
  );
  const part = (from: string, value: unknown, isMapped: boolean, setting: string): ArrivedPart => {
    const target = targets.get(from) ?? null;
    const fate = target !== null ? 'mapped' : isMapped ? 'unusable' : 'not_mapped';
    return { from, excerpt: excerptOf(value), fate, target, setting: fate === 'not_mapped' ? setting : null };
  };
  // The service sends the description as text and as HTML. Only the HTML is mapped.
  const hasHtml = (product.html_description ?? '').trim() !== '' && !configured.has('description');
  const fields = GENERATED_FIELDS.flatMap((from) => {
    const value = from === 'description' && hasHtml ? null : product[from];
    if (value == null || value.trim() === '' || pushed[from] === valueHash(value)) return [];
    return part(from, value, configured.has(from), `writeBack.fields.${from}`);
  });
  const attributes = [...attributesOf(product).byKey].map(([key, value]) => {
    const from = `${SECTION}${key}`;
    return part(
      from,
      value,
      configured.has(from) || settings.sections !== null,
      'writeBack.sections.namespace',
    );
  });
  return [...fields, ...attributes];
}

const VARIANT_FIELDS = ['description', 'html_description'] as const;

/**
 * The same for a result's variants. Each field of variants is listed once, with its first value, because its setting
 * holds for all of them.
 */
export function arrivedForVariants(
  variants: readonly GeneratedVariant[],
  intended: readonly IntendedValue[],
  settings: Pick<WriteBackSettings, 'variants'>,
): ArrivedPart[] {
  const targets = new Map(intended.map(({ from, target }) => [from, target]));
  const parts = new Map<string, ArrivedPart>();
  for (const { number, content } of variants) {
    const configured = new Set(Object.keys(settings.variants).map((from) => canonicalSource(content, from)));
    const came: [string, unknown][] = [
      ...VARIANT_FIELDS.map((field): [string, unknown] => [field, content[field]]),
      ...[...attributesOf(content).byKey].map(([key, value]): [string, unknown] => [
        `${SECTION}${key}`,
        value,
      ]),
    ];
    for (const [field, value] of came) {
      const from = `variants[].${field}`;
      const target = targets.get(`variants.${number}.${field}`) ?? null;
      if (value == null || value === '' || (parts.get(from)?.target ?? null) !== null) continue;
      if (parts.size === MOST_ATTRIBUTES && !parts.has(from)) continue;
      const fate = target !== null ? 'mapped' : configured.has(field) ? 'unusable' : 'not_mapped';
      const setting = fate === 'not_mapped' ? 'writeBack.variants' : null;
      parts.set(from, { from, excerpt: excerptOf(value), fate, target, setting });
    }
  }
  return [...parts.values()];
}

function excerptOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return storableText(text.slice(0, EXCERPT_LENGTH));
}
