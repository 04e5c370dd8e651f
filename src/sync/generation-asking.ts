import { isMetWith } from '../domain/error-policy.js';
import { errorLine, type CodedError } from '../domain/errors.js';
import type { GenerationTaskEntity } from '../persistence/entities/index.js';
import type { Store } from '../connections/connections.js';

export interface GenerationOutcome {
  readonly requested: number;
  /** The reason why not everything was requested; null when nothing is left. */
  readonly stopped: string | null;
  /** True when a configured limit stopped it, which is no error. */
  readonly atLimit?: boolean;
  /** True when the service refused the call itself: products are due until a setting is corrected. */
  readonly isCallRefused?: boolean;
  /** How long the service told us to wait, in milliseconds; 0 if it did not say. Absent when waiting would not help. */
  readonly againAfterMs?: number;
  /** Products of requests that were not answered: they may have been heard. Absent: none. */
  readonly unknown?: number;
  readonly unknownReason?: string;
}

/** The reason of a workspace that asks for no content. Its runs do not mention it. */
export const GENERATION_OFF = 'generation.mode is off';

/** Unanswered requests in a row after which the service counts as down. */
const MOST_UNANSWERED = 3;
/** Products in a row that were refused, and none accepted: then the call is at fault and no product. */
const MOST_UNCLEAR = 3;

export interface UnclearRefusal {
  readonly task: GenerationTaskEntity;
  readonly reason: string;
}

/** One round of requests for content: their outcomes so far, and why the round ends. */
export class Asking {
  requested = 0;
  /** With so many open tasks of the workspace, their cost leaves no credits for another one; null where credits do not matter. */
  openMost: number | null = null;
  #accepted = false;
  #stopped: Pick<GenerationOutcome, 'stopped' | 'atLimit' | 'isCallRefused' | 'againAfterMs'> | null = null;
  #unclear: UnclearRefusal[] = [];
  #unknown = 0;
  #unansweredInARow = 0;
  #unknownReason = '';

  constructor(
    readonly store: Store,
    readonly runId: string | null,
    /** Called right before each request; what it throws keeps the request from being sent. */
    readonly fence: () => void,
  ) {}

  get isOver(): boolean {
    return this.#stopped !== null;
  }

  /** The service took a request for so many products. Returns the refusals that are now known to be the products' own. */
  accepted(products: number): readonly UnclearRefusal[] {
    this.requested += products;
    this.#accepted = true;
    this.#unansweredInARow = 0;
    return this.#takeUnclear();
  }

  /** A request was not answered: its products may have been heard. Some are passed over, several in a row end the asking. */
  unanswered(products: number, error: CodedError): void {
    this.requested += products;
    this.#unknown += products;
    this.#unknownReason = errorLine(error);
    this.#unansweredInARow += 1;
    if (this.#unansweredInARow >= MOST_UNANSWERED)
      this.stop(
        `${String(MOST_UNANSWERED)} generation requests in a row were not answered: ${this.#unknownReason}`,
        error,
      );
  }

  /**
   * A request for one product was refused, and the answer does not say whether the product or the call is at fault. The product is, once
   * another one was accepted. Returns the refusals that are the products' own.
   */
  unclear(refusal: UnclearRefusal): readonly UnclearRefusal[] {
    this.#unclear.push(refusal);
    if (this.#accepted) return this.#takeUnclear();
    if (this.#unclear.length >= MOST_UNCLEAR) this.refuseCall(refusal.reason);
    return [];
  }

  refuseCall(reason: string): void {
    const { key } = this.store.workspace;
    this.#stopped ??= {
      stopped: `generation was refused: ${reason}; check workspaces.${key}.generation.request`,
      isCallRefused: true,
    };
  }

  /** The error says whether the rest may be asked for later. */
  stop(reason: string, error: CodedError): void {
    const isPassing = isMetWith(error, 'run', 'wait');
    this.#stopped ??= { stopped: reason, ...(isPassing ? { againAfterMs: error.retryAfterMs ?? 0 } : {}) };
  }

  stopAtLimit(reason: string): void {
    this.#stopped ??= { stopped: reason, atLimit: true };
  }

  /** The refusals that stayed unclear to the end: the call is at fault. */
  end(): readonly UnclearRefusal[] {
    const [first] = this.#unclear;
    if (first !== undefined) this.refuseCall(first.reason);
    return this.#takeUnclear();
  }

  get outcome(): GenerationOutcome {
    return {
      requested: this.requested,
      ...(this.#stopped ?? { stopped: null }),
      ...(this.#unknown === 0 ? {} : { unknown: this.#unknown, unknownReason: this.#unknownReason }),
    };
  }

  #takeUnclear(): readonly UnclearRefusal[] {
    const taken = this.#unclear;
    this.#unclear = [];
    return taken;
  }
}
