import { Injectable } from '@nestjs/common';
import type { Approval, DecisionOutcome, Permissions } from '../domain/approval.js';
import { CodedError } from '../domain/errors.js';
import type { GateFinding } from '../domain/gate-finding.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackDecisions } from '../persistence/write-back-decisions.repository.js';
import { WriteBackRepository, type DecidedBy } from '../persistence/write-back.repository.js';
import { Connections } from '../connections/connections.js';
import { findingsOf } from './gatekeeper.js';
import { LiveDecision } from './live-decision.js';

/**
 * Approves a text that is one of many, so that nobody has read it on its own page. It looks at the live store, and leaves what the
 * merchant edited since and what a gate holds back. The write itself decides again.
 */
@Injectable()
export class Approver {
  constructor(
    private readonly connections: Connections,
    private readonly links: LinkRepository,
    private readonly writeBacks: WriteBackRepository,
    private readonly decisions: WriteBackDecisions,
    private readonly decision: LiveDecision,
  ) {}

  /** Throws a coded error when the store cannot be read. */
  async approve(
    id: string,
    permissions: Permissions,
    by: DecidedBy & { readonly delayMs?: number | undefined },
  ): Promise<Approval> {
    const row = await this.writeBacks.get(id);
    if (row === null) return nothingLeft('wrong_state');
    const store = this.connections.store(row.store);
    const link = await this.links.get(row.externalId);
    if (link === null) throw new CodedError('not_found', `product ${row.externalId} is not known`);
    const released = permissions.overwriteEdits;
    const decided = await this.decision.about(store, row, link, { released });
    const decisions = decided?.decisions ?? [];
    const findings = decided === null || permissions.passGates ? [] : await findingsOf(store, decided);
    if (findings.length > 0) {
      await this.decisions.keepFindings(id, findings);
      return { outcome: 'wrong_state', left: 'gate', detail: gateDetail(findings) };
    }
    const edited = decisions.filter(({ verdict }) => verdict === 'conflict').map(({ target }) => target);
    const writesSome = decisions.some(({ verdict }) => verdict === 'write' || verdict === 'written_before');
    if (edited.length > 0 && !writesSome)
      return { outcome: 'wrong_state', left: 'edited', detail: editDetail(edited) };
    const outcome = await this.decisions.decide(id, 'approve', { ...by, ...permissions });
    if (outcome !== 'decided' || edited.length === 0) return nothingLeft(outcome);
    return { outcome, left: 'edited', detail: `the rest is approved; ${editDetail(edited)}` };
  }
}

function nothingLeft(outcome: DecisionOutcome): Approval {
  return { outcome, left: null, detail: '' };
}

function editDetail(targets: readonly string[]): string {
  return `edited by the merchant: ${targets.join(', ')}`;
}

function gateDetail(findings: readonly GateFinding[]): string {
  const [first] = findings;
  const more = findings.length > 1 ? ` (and ${String(findings.length - 1)} more)` : '';
  return `held back by a gate: ${first?.target ?? ''}: ${first?.detail ?? ''}${more}`;
}
