import { Injectable } from '@nestjs/common';
import { Clock } from '../runtime/clock.js';
import { Database } from '../persistence/database.js';
import { WriteBackDecisions } from '../persistence/write-back-decisions.repository.js';
import { productLabels } from '../persistence/product-labels.js';
import type { LastDecision } from './views/write-back-actions.js';

/** An older decision is found in the journal. */
const OFFERED_MS = 600_000;

/** Finds the last decision of a person that can still be taken back. */
@Injectable()
export class LastDecisions {
  constructor(
    private readonly decisions: WriteBackDecisions,
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  async of(actor: string): Promise<LastDecision | null> {
    const since = new Date(this.clock.now().getTime() - OFFERED_MS);
    const [row] = await this.decisions.undoable(actor, since, 1);
    if (row === undefined) return null;
    const { id, externalId, reason } = row;
    const labels = await productLabels(this.db, [externalId]);
    return { id, label: labels.get(externalId) ?? externalId, reason: reason ?? row.state };
  }
}
