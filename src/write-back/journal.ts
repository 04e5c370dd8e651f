import type { LiveProduct, MetafieldOutcome, TranslationOutcome } from '../domain/store-port.js';
import type { JournalField } from '../domain/write-back-journal.js';
import {
  afterWrite,
  effectiveValue,
  metafieldTarget,
  type WrittenContent,
} from '../domain/written-content.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import type { WriteBackEnd } from '../persistence/write-back.repository.js';
import type { FieldDecision } from '../planner/plan-write-back.js';

/** Collects what became of each field, and the product's written content after it. */
export class Journal {
  readonly #fields = new Map<string, JournalField>();
  #written: WrittenContent;
  #moved: boolean;
  #isGone = false;

  constructor(
    private readonly row: WriteBackEntity,
    private readonly found: {
      readonly live: LiveProduct;
      readonly written: WrittenContent;
      /** That `written` says more than the product's row does. */
      readonly foundMore: boolean;
    },
    decisions: readonly FieldDecision[],
  ) {
    this.#written = found.written;
    this.#moved = found.foundMore;
    for (const decision of decisions) this.#start(decision);
  }

  #start(decision: FieldDecision): void {
    const { target, reason, before, type } = decision;
    switch (decision.verdict) {
      case 'written_before': {
        const original = this.row.sent[target]?.before ?? null;
        this.#fields.set(target, {
          target,
          outcome: 'written',
          reason,
          before: original,
          type,
          after: before,
        });
        this.#move(target, before, original);
        return;
      }
      case 'write':
        this.#fields.set(target, { target, outcome: 'failed', reason, before, type, after: null });
        return;
      default:
        this.#fields.set(target, { target, outcome: decision.verdict, reason, before, type, after: null });
    }
  }

  /** `stored` is what the store returned: that, not what was sent, is what counts as ours (docs/decisions/0004-effective-source.md). */
  written(target: string, stored: string | null): void {
    const field = this.#fields.get(target);
    if (!field) return;
    this.#fields.set(target, { ...field, outcome: 'written', after: stored });
    this.#move(target, stored, field.before);
  }

  #move(target: string, stored: string | null, before: string | null): void {
    const previous = this.#written[target];
    this.#written = {
      ...this.#written,
      [target]: afterWrite(previous, stored, effectiveValue(before, previous)),
    };
    this.#moved = true;
  }

  refused(target: string, reason: string): void {
    const field = this.#fields.get(target);
    if (field) this.#fields.set(target, { ...field, outcome: 'failed', reason });
  }

  metafield(outcome: MetafieldOutcome): void {
    this.outcome(metafieldTarget(outcome.namespace, outcome.key), outcome);
  }

  outcome(target: string, outcome: MetafieldOutcome | TranslationOutcome): void {
    if (outcome.outcome === 'written') this.written(target, outcome.value);
    else if (outcome.outcome === 'refused') this.refused(target, outcome.reason);
    else {
      const field = this.#fields.get(target);
      if (field) this.#fields.set(target, { ...field, outcome: 'conflict', reason: outcome.reason });
    }
  }

  /** True when the field was to be written and was not. */
  wasLost(target: string): boolean {
    const outcome = this.#fields.get(target)?.outcome;
    return this.#isGone || outcome === 'failed' || outcome === 'conflict';
  }

  gone(): void {
    this.#isGone = true;
  }

  end(): WriteBackEnd {
    const fields = [...this.#fields.values()];
    const count = (outcome: JournalField['outcome']): number =>
      fields.filter((field) => field.outcome === outcome).length;
    const common = { fields, written: this.#moved ? this.#written : null };
    if (this.#isGone) return { ...common, state: 'skipped', reason: 'the product was deleted in the store' };
    const left = [
      count('conflict') > 0
        ? `${String(count('conflict'))} left to the merchant: ${reasons(fields, 'conflict')}`
        : '',
      count('failed') > 0
        ? `${String(count('failed'))} refused by the store: ${reasons(fields, 'failed')}`
        : '',
      count('untranslatable') > 0
        ? `${String(count('untranslatable'))} not translated: ${reasons(fields, 'untranslatable')}`
        : '',
    ].filter((part) => part !== '');
    if (count('written') > 0) {
      return {
        ...common,
        state: 'applied',
        reason: [`${String(count('written'))} fields written`, ...left].join('; '),
      };
    }
    if (count('failed') > 0) return { ...common, state: 'failed', reason: left.join('; ') };
    if (count('conflict') > 0) return { ...common, state: 'conflicted', reason: left.join('; ') };
    const archived = this.found.live.status === 'ARCHIVED' ? ' (the product is archived)' : '';
    return {
      ...common,
      state: 'skipped',
      reason: [`nothing to write: the store already says this${archived}`, ...left].join('; '),
    };
  }
}

function reasons(fields: readonly JournalField[], outcome: JournalField['outcome']): string {
  return fields
    .filter((field) => field.outcome === outcome)
    .map((field) => `${field.target} (${field.reason})`)
    .join(', ');
}
