import { counted } from '../domain/text.js';
import type { LiveProduct, WriteOutcome } from '../domain/store-port.js';
import type { JournalField, SentValue } from '../domain/write-back-journal.js';
import {
  afterUnknownWrite,
  afterWrite,
  effectiveValue,
  type WrittenContent,
} from '../domain/written-content.js';
import type { StoreProductEntity, WriteBackEntity } from '../persistence/entities/index.js';
import type { WriteBackEnd } from '../persistence/write-back.repository.js';
import { beforeImage, type FieldDecision } from '../planner/field-verdict.js';

/** The reason why a write-back was given up, once nothing more is sent for it. */
export interface GivenUp {
  readonly reason: string;
}

/** Collects the outcome of each field, and the product's written content afterwards. */
export class Journal {
  readonly #fields = new Map<string, JournalField>();
  #written: WrittenContent;
  #moved: boolean;
  #isGone = false;

  constructor(
    private readonly row: WriteBackEntity,
    private readonly found: Omit<Decided, 'decisions'>,
    decisions: readonly FieldDecision[],
  ) {
    this.#written = found.written;
    this.#moved = found.foundMore;
    for (const decision of decisions) this.#start(decision);
    // What a person declined since an earlier attempt may be in the store.
    const declined = row.fields.filter(
      ({ target, unanswered }) => unanswered === true && !this.#fields.has(target),
    );
    for (const field of declined) this.#fields.set(field.target, field);
  }

  #start(decision: FieldDecision): void {
    const { target, verdict, reason, before: live, type } = decision;
    const before = beforeImage(decision, this.row.sent);
    switch (verdict) {
      case 'written_before':
        this.#fields.set(target, { target, outcome: 'written', reason, before, type, after: live });
        this.#move(target, live, before);
        return;
      case 'write':
        this.#fields.set(target, { target, outcome: 'failed', reason, before, type, after: null });
        return;
      default:
        this.#fields.set(target, { target, outcome: verdict, reason, before: live, type, after: null });
    }
  }

  /** Records that the targets are about to be sent. Until their outcome is known, the store may have them. */
  sending(targets: readonly string[]): void {
    for (const target of targets) {
      const field = this.#fields.get(target);
      if (field) this.#fields.set(target, { ...field, unanswered: true });
    }
  }

  #answered(target: string): JournalField | undefined {
    const field = this.#fields.get(target);
    if (field === undefined) return undefined;
    const { unanswered: _unanswered, ...rest } = field;
    return rest;
  }

  /** `stored` is what the store returned. That value is ours, not the one that was sent (docs/decisions/0004-effective-source.md). */
  written(target: string, stored: string | null): void {
    const field = this.#answered(target);
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
    const field = this.#answered(target);
    if (field) this.#fields.set(target, { ...field, outcome: 'failed', reason });
  }

  outcome(outcome: WriteOutcome): void {
    const { target } = outcome;
    if (outcome.outcome === 'written') this.written(target, outcome.value);
    else if (outcome.outcome === 'refused') this.refused(target, outcome.reason);
    else {
      const field = this.#answered(target);
      if (field) this.#fields.set(target, { ...field, outcome: 'conflict', reason: outcome.reason });
    }
  }

  gone(): void {
    this.#isGone = true;
  }

  /** The present knowledge, for an attempt that ends in the middle. */
  get soFar(): Pick<WriteBackEnd, 'fields' | 'written'> {
    return { fields: [...this.#fields.values()], written: this.#moved ? this.#written : null };
  }

  /** The outcomes of all fields. With `givenUp`, the remaining fields are not tried again. */
  end(givenUp?: GivenUp): WriteBackEnd {
    const fields = [...this.#fields.values()].map((field) =>
      givenUp !== undefined && field.outcome === 'failed' ? { ...field, reason: givenUp.reason } : field,
    );
    return { fields, written: this.#moved ? this.#written : null, ...this.#verdict(fields, givenUp) };
  }

  #verdict(fields: readonly JournalField[], givenUp?: GivenUp): Pick<WriteBackEnd, 'state' | 'reason'> {
    if (this.#isGone) return { state: 'skipped', reason: 'the product was deleted in the store' };
    const left = notWritten(fields, givenUp);
    const has = (outcome: Outcome): boolean => fields.some((field) => field.outcome === outcome);
    if (has('written')) {
      const count = fields.filter(({ outcome }) => outcome === 'written').length;
      return { state: 'applied', reason: [fieldsWritten(count), ...left].join('; ') };
    }
    if (givenUp !== undefined) return { state: 'failed', reason: givenUp.reason };
    if (has('failed')) return { state: 'failed', reason: left.join('; ') };
    if (has('conflict')) return { state: 'conflicted', reason: left.join('; ') };
    const archived = this.found.live.status === 'ARCHIVED' ? ' (the product is archived)' : '';
    const nothing =
      has('same') || has('not_generated') || left.length === 0
        ? `nothing to write: the store already says this${archived}`
        : 'nothing to write';
    return { state: 'skipped', reason: [nothing, ...left].join('; ') };
  }
}

type Outcome = JournalField['outcome'];

/** How the reason of a write-back names the fields of each outcome that left them as they were. */
const NOT_WRITTEN: readonly (readonly [outcome: Outcome, words: string])[] = [
  ['conflict', 'left to the merchant'],
  ['failed', 'refused by the store'],
  ['unfit', 'without a place'],
  ['untranslatable', 'not translated'],
];

function notWritten(fields: readonly JournalField[], givenUp: GivenUp | undefined): string[] {
  return NOT_WRITTEN.flatMap(([outcome, words]) => {
    const count = fields.filter((field) => field.outcome === outcome).length;
    if (count === 0) return [];
    return outcome === 'failed' && givenUp !== undefined
      ? `${String(count)} given up: ${givenUp.reason}`
      : `${String(count)} ${words}: ${reasons(fields, outcome)}`;
  });
}

/** The result of a read of the store. */
export interface Decided {
  readonly live: LiveProduct;
  readonly decisions: readonly FieldDecision[];
  /** The product's written content, including values of earlier writes without a response that are in the store. */
  readonly written: WrittenContent;
  /** True when `written` has more than the product's row. */
  readonly foundMore: boolean;
}

/** The end of a write-back that is given up after a last read of the store. */
export function givenUpSeen(row: WriteBackEntity, found: Decided, reason: string): WriteBackEnd {
  const journal = new Journal(row, found, found.decisions);
  const open = found.decisions.filter(({ target, verdict }) => verdict === 'write' && target in row.sent);
  // A request without a response may still be carried out after this read.
  journal.sending(open.map(({ target }) => target));
  const end = journal.end({ reason });
  if (open.length === 0) return end;
  return { ...end, written: withUnanswered(end.written ?? found.written, row.sent, end.fields) };
}

/** The end of an older result whose worker died, when a newer one replaces it. */
export function supersededEnd(
  row: WriteBackEntity,
  found: Decided | null,
  left: readonly FieldDecision[],
  link: Pick<StoreProductEntity, 'written'>,
): WriteBackEnd {
  const reason = 'a newer result of the same product arrived';
  if (found !== null && left.length > 0) return new Journal(row, found, left).end();
  if (found === null || row.fields.some(({ outcome }) => outcome === 'written'))
    return givenUpBlind(row, link.written ?? {}, reason);
  return { state: 'skipped', reason, fields: [], written: null };
}

/**
 * The end of a write-back that is given up without another read of the store. Known writes of earlier attempts are
 * recorded; everything else that was sent may or may not be in the store.
 */
export function givenUpBlind(
  row: Pick<WriteBackEntity, 'fields' | 'sent'>,
  writtenBefore: WrittenContent,
  reason: string,
): WriteBackEnd {
  const known = row.fields.filter((field) => field.outcome !== 'failed');
  const open = Object.entries(row.sent).filter(([target]) => !known.some((each) => each.target === target));
  const failed = open.map(([target, { before }]): JournalField => ({
    target,
    outcome: 'failed',
    reason,
    before,
    type: null,
    after: null,
    unanswered: true,
  }));
  const count = known.filter(({ outcome }) => outcome === 'written').length;
  return {
    state: count > 0 ? 'applied' : 'failed',
    reason: count > 0 ? `${fieldsWritten(count)}; the rest was given up: ${reason}` : reason,
    fields: [...known, ...failed],
    written: open.length === 0 ? null : withUnanswered(writtenBefore, row.sent, failed),
  };
}

/**
 * The written content including values that may have reached the store. If the store has them, they are ours and
 * never source.
 */
export function withUnanswered(
  written: WrittenContent,
  sent: Readonly<Record<string, SentValue>>,
  fields: readonly JournalField[],
): WrittenContent {
  const maybe = fields.flatMap(({ target, unanswered }) => {
    const value = unanswered === true ? sent[target] : undefined;
    return value === undefined
      ? []
      : [[target, afterUnknownWrite(written[target], value.value, value.before)] as const];
  });
  return { ...written, ...Object.fromEntries(maybe) };
}

function fieldsWritten(count: number): string {
  return `${counted(count, 'field')} written`;
}

function reasons(fields: readonly JournalField[], outcome: JournalField['outcome']): string {
  return fields
    .filter((field) => field.outcome === outcome)
    .map((field) => `${field.target} (${field.reason})`)
    .join(', ');
}
