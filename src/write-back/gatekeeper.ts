import type { GateFinding } from '../domain/gate-finding.js';
import { effectiveValue, type WrittenContent } from '../domain/written-content.js';
import { merchantsText } from '../planner/final-text.js';
import { isStoreField } from '../domain/store-port.js';
import { gateFindings, type GatedText } from '../planner/gates/gates.js';
import type { FieldDecision } from '../planner/field-verdict.js';
import { placeInTarget } from '../domain/metafield-key.js';
import type { LiveProduct } from '../domain/store-port.js';
import { forbiddenBy } from '../runtime/linear-pattern.js';
import type { Store } from '../connections/connections.js';
import { languageDetector } from './language-detector.js';

/** The input of the check: the values to write, the live product, and its values that we wrote. */
export interface Judged {
  readonly decisions: readonly FieldDecision[];
  readonly live: LiveProduct;
  readonly written: WrittenContent;
}

/**
 * The findings of the store's gates in the texts to write, compared with the merchant's texts. Empty: they may be
 * written without a person.
 */
export async function findingsOf(store: Store, { decisions, live, written }: Judged): Promise<GateFinding[]> {
  const { gates } = store.settings.writeBack;
  const texts = decisions
    .filter(({ verdict }) => verdict === 'write')
    .map(({ target, value, before }): GatedText => {
      return { target, value, before: merchantsText(target, before, live, written) };
    });
  if (texts.length === 0) return [];
  const present = [...live.values].flatMap(([target, { value }]) =>
    value === null ? [] : [{ target, value }],
  );
  const meant = present
    .filter(({ target }) => isStoreField(target))
    .map(({ target, value }) => effectiveValue(value, written[target]));
  const attributes = [
    ...present.filter(({ target }) => placeInTarget(target) !== null).map(({ value }) => value),
    ...decisions.flatMap(({ type, value }) => (type === null ? [] : value)),
  ];
  return gateFindings(texts, gates, {
    locale: store.workspace.settings.locale ?? null,
    detect: gates.language ? await languageDetector() : () => new Map(),
    forbidden: forbiddenBy(gates.forbid),
    sourceTexts: meant.filter((text) => text !== null),
    attributeTexts: attributes,
  });
}
