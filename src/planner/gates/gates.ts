import type { GateFinding, GateName } from '../../domain/gate-finding.js';
import type { GateSettings } from '../../domain/store-settings.js';
import { placeOfTarget } from '../../domain/write-target.js';
import { plainTextOf } from '../html/plain-text.js';
import { withoutKeptMedia } from '../kept-media.js';
import { otherLanguage, weightOf, type DetectLanguage } from './language.js';
import { numbersIn, quantitiesIn, type Quantity } from './quantities.js';

/** A text that is about to be written. */
export interface GatedText {
  readonly target: string;
  readonly value: string;
  /** The merchant's own value; null for none. */
  readonly before: string | null;
}

/** The criteria for the texts. */
export interface GateContext {
  /** Locale of the texts; null when the configuration names none. */
  readonly locale: string | null;
  readonly detect: DetectLanguage;
  /** The first part of a text that matches a pattern of `gates.forbid`; null for none. */
  readonly forbidden: (text: string) => string | null;
  /** The merchant's own texts about the product: title, description, and any other text. */
  readonly sourceTexts: readonly string[];
  /** Values of the attributes, of the merchant's and of the generated ones, as texts. */
  readonly attributeTexts: readonly string[];
}

/** Findings of all gates that are on, in the order of the texts. Empty: nothing holds the texts back. Linear in their length. */
export function gateFindings(
  texts: readonly GatedText[],
  settings: GateSettings,
  context: GateContext,
): GateFinding[] {
  const known = settings.numbers ? knownNumbers(context) : null;
  return texts.flatMap((text) => {
    const { base, locale } = placeOfTarget(text.target);
    const finding = (gate: GateName, found: string | null, detail: string): GateFinding => ({
      gate,
      target: text.target,
      found,
      detail,
    });
    const plain = base === 'descriptionHtml' ? plainTextOf(text.value) : text.value;
    const findings: GateFinding[] = [];
    const length = lengthProblem(base, plain, settings);
    if (length !== null) findings.push(finding('length', null, length));
    const forbidden = context.forbidden(plain);
    if (forbidden !== null) findings.push(finding('forbid', forbidden, `“${forbidden}” is forbidden`));
    if (!PROSE.has(base)) return findings;
    for (const quantity of known === null ? [] : unknownQuantities(plain, known))
      findings.push(finding('numbers', quantity.text, `${quantity.text}: not in the source`));
    const expected = locale ?? context.locale;
    const language =
      settings.language && expected !== null ? languageProblem(text, expected, context.detect) : null;
    if (language !== null) findings.push(finding('language', null, language));
    const shrink = base === 'descriptionHtml' ? shrinkProblem(plain, text.before, settings.shrink) : null;
    if (shrink !== null) findings.push(finding('shrink', null, shrink));
    return findings;
  });
}

/** Fields that hold sentences; others hold names and facts. */
const PROSE: ReadonlySet<string> = new Set(['title', 'descriptionHtml', 'seo.title', 'seo.description']);

function lengthProblem(base: string, plain: string, { title, descriptionHtml }: GateSettings): string | null {
  const bounds =
    base === 'title' ? { minLength: 0, ...title } : base === 'descriptionHtml' ? descriptionHtml : null;
  if (bounds === null) return null;
  const { length } = plain;
  const { minLength, maxLength } = bounds;
  if (minLength > 0 && length < minLength) return `${length} characters, at least ${minLength} expected`;
  if (maxLength > 0 && length > maxLength) return `${length} characters, at most ${maxLength} allowed`;
  return null;
}

/** The merchant's own tables stay in their language, whatever the generated text before them is in. */
function languageProblem(
  { target, value, before }: GatedText,
  expected: string,
  detect: DetectLanguage,
): string | null {
  const isHtml = placeOfTarget(target).base === 'descriptionHtml';
  const other = otherLanguage(
    isHtml ? plainTextOf(withoutKeptMedia(value, before)) : value,
    expected,
    detect,
  );
  if (other === null) return null;
  const percent = Math.round(other.confidence * 100);
  const reads = other.isPart ? 'a part reads' : 'reads';
  return `${reads} as ${other.language}, not ${expected} (${percent} % apart)`;
}

function shrinkProblem(plain: string, before: string | null, share: number): string | null {
  const old = before === null ? 0 : weightOf(plainTextOf(before));
  if (share === 0 || old === 0 || weightOf(plain) >= old * share) return null;
  const percent = Math.round((weightOf(plain) / old) * 100);
  return `${percent} % as long as the present text, at least ${Math.round(share * 100)} % expected`;
}

interface KnownNumbers {
  /** `25 w`: a number with its unit. */
  readonly quantities: ReadonlySet<string>;
  /** Numbers of attributes, whose unit often stands in the attribute's name. */
  readonly numbers: ReadonlySet<number>;
}

function knownNumbers({ sourceTexts, attributeTexts }: GateContext): KnownNumbers {
  const quantities = [...sourceTexts, ...attributeTexts]
    .flatMap((text) => quantitiesIn(plainTextOf(text)))
    .flatMap(({ values, unit }) => values.map((value) => `${value} ${unit}`));
  return { quantities: new Set(quantities), numbers: new Set(attributeTexts.flatMap(numbersIn)) };
}

/** Each once, however often the text repeats it. */
function unknownQuantities(plain: string, known: KnownNumbers): Quantity[] {
  const unknown = new Map<string, Quantity>();
  for (const quantity of quantitiesIn(plain)) {
    const { values, unit, text, isCertain } = quantity;
    const isKnown =
      !isCertain ||
      values.some((value) => known.quantities.has(`${value} ${unit}`) || known.numbers.has(value));
    if (!isKnown && !unknown.has(text)) unknown.set(text, quantity);
  }
  return [...unknown.values()];
}
