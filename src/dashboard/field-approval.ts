import { Injectable } from '@nestjs/common';
import { JobProducer } from '../queue/index.js';
import { Database } from '../persistence/database.js';
import { WriteBackDecisions } from '../persistence/write-back-decisions.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { NEWER_RESULT } from '../operations/write-backs.js';
import { productLabels } from '../persistence/product-labels.js';
import { targetName } from './views/write-back-parts.js';
import { messages } from './messages.js';

/** How long an approval on a page can be taken back before it is written. */
export const UNDO_MS = 5_000;

export interface ApprovalOutcome {
  readonly ok: boolean;
  readonly detail: string;
  /** The label of the product; null when the product has no link. */
  readonly label: string | null;
}

/** Approves a write-back field by field. Fields that are not accepted are not written. */
@Injectable()
export class FieldApproval {
  constructor(
    private readonly writeBacks: WriteBackRepository,
    private readonly decisions: WriteBackDecisions,
    private readonly db: Database,
    private readonly jobs: JobProducer,
  ) {}

  /**
   * Refuses an unknown write-back, one that is already decided, and one without accepted fields, because that is a
   * rejection.
   */
  async approve(id: string, accepted: readonly string[], actor: string): Promise<ApprovalOutcome> {
    const row = await this.writeBacks.get(id);
    if (row === null) return { ok: false, detail: messages.writeBackGone(id.slice(0, 100)), label: null };
    const labels = await productLabels(this.db, [row.externalId]);
    const label = labels.get(row.externalId) ?? null;
    const left = row.intended.filter(({ target }) => !accepted.includes(target));
    if (left.length === row.intended.length) return { ok: false, detail: messages.acceptOne, label };
    const only = left.length === 0 ? undefined : accepted;
    const outcome = await this.decisions.decide(id, 'approve', { actor, only, delayMs: UNDO_MS });
    if (outcome === 'newer_result') return { ok: false, detail: `it ${NEWER_RESULT}`, label };
    if (outcome === 'wrong_state') return { ok: false, detail: messages.decidedAlready(row.state), label };
    await this.jobs.enqueue('write-backs', id, { delayMs: UNDO_MS });
    const names = left.map(({ target }) => targetName(target)).join(', ');
    return {
      ok: true,
      detail: messages.approvedFields(names === '' ? '' : ` without ${names}`),
      label,
    };
  }
}
