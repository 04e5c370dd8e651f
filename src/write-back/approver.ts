import { Injectable } from '@nestjs/common';
import type { Approval, DecisionOutcome, Permissions } from '../domain/approval.js';
import { CodedError, isCoded } from '../domain/errors.js';
import type { GateFinding } from '../domain/gate-finding.js';
import { valueHash } from '../domain/written-content.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackDecisions, type DecisionDetails } from '../persistence/write-back-decisions.repository.js';
import { WriteBackRepository, type DecidedBy } from '../persistence/write-back.repository.js';
import { Connections } from '../connections/connections.js';
import { findingsOf } from './gatekeeper.js';
import type { Decided } from './journal.js';
import { LiveDecision } from './live-decision.js';
import { LiveLooks, SAME_PAGE_MS } from './live-looks.js';

/** Hashes of the store's values that a page showed, by target; empty when the store could not be read. */
export type ShownValues = Readonly<Record<string, string>>;

/** Approves texts after a look at the live store. The write decides again, and leaves what the merchant edits after the approval. */
@Injectable()
export class Approver {
  constructor(
    private readonly connections: Connections,
    private readonly links: LinkRepository,
    private readonly writeBacks: WriteBackRepository,
    private readonly decisions: WriteBackDecisions,
    private readonly decision: LiveDecision,
    private readonly looks: LiveLooks,
  ) {}

  /**
   * Approves a text that a person has read. Of what the store holds now, the approval covers what `shown` has, or everything without it.
   * If the page showed nothing of the store, or the store cannot be read, it covers neither edits of the merchant nor findings of gates,
   * because nobody has seen them.
   */
  async approveRead(
    id: string,
    { shown, ...by }: DecisionDetails & { readonly shown?: ShownValues | undefined },
  ): Promise<DecisionOutcome> {
    return this.decisions.decide(id, 'approve', { ...by, ...(await this.#seen(id, shown)) });
  }

  async #seen(id: string, shown: ShownValues | undefined): Promise<Partial<DecisionDetails>> {
    if (shown !== undefined && Object.keys(shown).length === 0) return NOTHING_SEEN;
    const row = await this.writeBacks.get(id);
    if (row === null) return {};
    try {
      const standing = standingIn((await this.looks.at(row, SAME_PAGE_MS)).decided);
      if (shown === undefined) return { releasedValues: standing };
      const seen = Object.entries(standing).filter(([target, hash]) => shown[target] === hash);
      return { releasedValues: Object.fromEntries(seen) };
    } catch (error) {
      if (!isCoded(error)) throw error;
      return NOTHING_SEEN;
    }
  }

  /**
   * Approves a text that is one of many, so that nobody has read it on its own page. Leaves what the merchant edited since and what a
   * gate holds back. Throws a coded error when the store cannot be read.
   */
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
    const releasedValues = standingIn(decided);
    const outcome = await this.decisions.decide(id, 'approve', { ...by, ...permissions, releasedValues });
    if (outcome !== 'decided' || edited.length === 0) return nothingLeft(outcome);
    return { outcome, left: 'edited', detail: `the rest is approved; ${editDetail(edited)}` };
  }
}

const NOTHING_SEEN = { overwriteEdits: false, passGates: false };

/** Hashes of the store's values, by target. */
export function standingIn(decided: Pick<Decided, 'decisions'> | null): ShownValues {
  const decisions = decided?.decisions ?? [];
  return Object.fromEntries(decisions.map(({ target, before }) => [target, valueHash(before)]));
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
