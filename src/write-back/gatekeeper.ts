import type { GateFinding } from '../domain/gate-finding.js';
import { effectiveValue, type WrittenContent } from '../domain/written-content.js';
import { gateFindings, type GatedText } from '../planner/gates/gates.js';
import type { FieldDecision } from '../planner/plan-write-back.js';
import type { LiveProduct } from '../domain/store-port.js';
import { forbiddenBy } from '../runtime/linear-pattern.js';
import type { Store } from '../sites/sites.js';
import { languageDetector } from './language-detector.js';

/** What a write-back is judged by: what would be written, the live product, and what of it is ours. */
export interface Judged {
  readonly decisions: readonly FieldDecision[];
  readonly live: LiveProduct;
  readonly written: WrittenContent;
}

/**
 * What the store's gates find in the texts that would be written, against what the merchant has there. Empty: they may be
 * written without a person.
 */
export async function findingsOf(store: Store, { decisions, live, written }: Judged): Promise<GateFinding[]> {
  const { gates } = store.settings.writeBack;
  const texts = decisions
    .filter(({ verdict }) => verdict === 'write')
    .map(({ target, value, before }): GatedText => {
      return { target, value, before: effectiveValue(before, written[target]) };
    });
  if (texts.length === 0) return [];
  const meant = Object.entries(live.fields).map(([field, value]) => effectiveValue(value, written[field]));
  const attributes = [
    ...live.metafields.map(({ value }) => value),
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
