import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Database } from './database.js';
import { StoreStateEntity } from './entities/store-state.entity.js';
import { WorkspaceStateEntity } from './entities/workspace-state.entity.js';

/**
 * The state of workspaces and stores as a whole: credits, webhooks, watermarks.
 *
 * SQL: conflict clauses keep the newer fact.
 */
@Injectable()
export class StateRepository {
  constructor(private readonly db: Database) {}

  async workspace(key: string): Promise<WorkspaceStateEntity | null> {
    return this.db.repository(WorkspaceStateEntity).findOneBy({ workspace: key });
  }

  async workspaces(): Promise<WorkspaceStateEntity[]> {
    return this.db.repository(WorkspaceStateEntity).find();
  }

  async store(key: string): Promise<StoreStateEntity | null> {
    return this.db.repository(StoreStateEntity).findOneBy({ store: key });
  }

  /** The row of a store whose watermark counts; null when nothing was read yet, or when `Store.scope` has changed since. */
  async inScope(store: string, scope: string): Promise<StoreStateEntity | null> {
    const known = await this.store(store);
    return known?.watermark != null && known.watermarkScope === scope ? known : null;
  }

  /** Latest source time whose work is durable; null as for `inScope`. */
  async watermark(store: string, scope: string): Promise<Date | null> {
    return (await this.inScope(store, scope))?.watermark ?? null;
  }

  /** Remembers the address that the store's events are subscribed for. */
  async subscribed(store: string, eventsAddress: string): Promise<void> {
    await this.db.repository(StoreStateEntity).upsert({ store, eventsAddress }, ['store']);
  }

  /** Remembers a slot that came due while another run was active, unless the slot has had its run. */
  async putOffSlot(store: string, slot: Date): Promise<void> {
    await this.db.affected(
      `INSERT INTO store_state AS state (store, slot_due)
       SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sync_run WHERE store = $1 AND slot = $2)
       ON CONFLICT (store) DO UPDATE SET slot_due = greatest(state.slot_due, excluded.slot_due)`,
      [store, slot],
    );
  }

  /** Slots that were put off, of stores that have no active run by now. */
  async slotsPutOff(): Promise<{ store: string; slotDue: Date }[]> {
    return this.db.read(
      z.object({ store: z.string(), slotDue: z.date() }),
      // SQL: `NOT EXISTS` on the active runs.
      `SELECT store, slot_due FROM store_state WHERE slot_due IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sync_run
         WHERE sync_run.store = store_state.store AND state IN ('queued', 'running'))`,
    );
  }

  async slotTaken(store: string, slot: Date): Promise<void> {
    await this.db.repository(StoreStateEntity).update({ store, slotDue: slot }, { slotDue: null });
  }

  /** Credits as a delivery reported them at `at`; an older report never replaces a newer one. */
  async reportCredits(workspace: string, remaining: number, at: Date): Promise<void> {
    await this.db.affected(
      `INSERT INTO workspace_state (workspace, credits_remaining, credits_at) VALUES ($1, $2, $3)
       ON CONFLICT (workspace) DO UPDATE SET credits_remaining = excluded.credits_remaining, credits_at = excluded.credits_at
         WHERE workspace_state.credits_at IS NULL OR workspace_state.credits_at <= excluded.credits_at`,
      [workspace, remaining, at],
    );
  }

  /** Whether credits were last reported so long ago, and nothing was asked for since that could bring a newer report. */
  async isCreditReportStale(workspace: string, hours: number): Promise<boolean> {
    const row = await this.db.readOne(
      z.object({ stale: z.boolean().nullable() }),
      // SQL: by the database's clock.
      `SELECT credits_at < now() - $2 * interval '1 hour' AND NOT EXISTS (SELECT 1 FROM generation_task AS task
         WHERE task.workspace = $1 AND task.requested_at > now() - $2 * interval '1 hour') AS stale
       FROM workspace_state WHERE workspace = $1`,
      [workspace, hours],
    );
    return row?.stale === true;
  }

  /** Asks for a sweep of the workspace now. The process that sweeps reads this, whichever it is. */
  async askForSweep(workspace: string): Promise<void> {
    await this.db.affected(
      `INSERT INTO workspace_state (workspace, sweep_asked_at) VALUES ($1, now())
       ON CONFLICT (workspace) DO UPDATE SET sweep_asked_at = excluded.sweep_asked_at`,
      [workspace],
    );
  }

  /** The API version that the store serves in place of the configured one; null when it serves that. */
  async serves(store: string, version: string | null): Promise<void> {
    await this.db.affected(
      `INSERT INTO store_state AS known (store, served_version) VALUES ($1, $2)
       ON CONFLICT (store) DO UPDATE SET served_version = excluded.served_version
       WHERE known.served_version IS DISTINCT FROM excluded.served_version`,
      [store, version],
    );
  }

  /** Hashes of the webhook secret that was sent last, and of what the service then showed in its place. Null before the first. */
  async sentWebhookSecret(workspace: string): Promise<{ sent: string; shown: string } | null> {
    const row = await this.db.repository(WorkspaceStateEntity).findOneBy({ workspace });
    const { webhookSecretSent: sent, webhookSecretShown: shown } = row ?? {};
    return typeof sent === 'string' && typeof shown === 'string' ? { sent, shown } : null;
  }

  async webhookSecretSent(
    workspace: string,
    { sent, shown }: { sent: string; shown: string },
  ): Promise<void> {
    await this.db
      .repository(WorkspaceStateEntity)
      .upsert({ workspace, webhookSecretSent: sent, webhookSecretShown: shown }, ['workspace']);
  }

  /** `state` is for programs, `detail` for people. */
  async reportWebhook(workspace: string, finding: { state: string; detail: string }): Promise<void> {
    await this.db.affected(
      `INSERT INTO workspace_state (workspace, webhook_finding, webhook_state, webhook_checked_at) VALUES ($1, $2, $3, now())
       ON CONFLICT (workspace) DO UPDATE SET webhook_finding = excluded.webhook_finding, webhook_state = excluded.webhook_state,
         webhook_checked_at = now()`,
      [workspace, finding.detail, finding.state],
    );
  }
}
