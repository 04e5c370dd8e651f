import { Injectable, Inject } from '@nestjs/common';
import { APP_CONFIG, type PublicAddress } from '../config/index.js';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import { withoutTrailing } from '../domain/text.js';
import { WEBHOOK_ACTIONS, type WebhookConfig } from '../catalog/schemas.js';
import { StateRepository } from '../persistence/state.repository.js';
import type { Workspace } from './connections.js';
import { isSameUrl, secretHash, shownUrl, slotDifferences, type SlotDifference } from './slot-comparison.js';

export const SLOT_STATES = ['ours', 'outdated', 'free', 'foreign', 'unknown'] as const;

export interface SlotFinding {
  readonly state: (typeof SLOT_STATES)[number];
  /** The present configuration, for people; never a secret. */
  readonly detail: string;
}

const DIFFERENCES: Readonly<Record<SlotDifference, string>> = {
  secret: 'another secret, so that its deliveries are refused',
  actions: 'fewer actions, so that some results are not delivered',
};

/**
 * The workspace's one webhook slot (docs/catalog-rules.md#webhook-configuration;
 * docs/decisions/0006-polling-beside-webhooks.md). A POST replaces the present configuration, so another system's URL is
 * only overwritten when a person requests it.
 */
@Injectable()
export class WebhookSlot {
  readonly #publicUrl: string | undefined;

  constructor(
    @Inject(APP_CONFIG) config: PublicAddress,
    @Inject(StateRepository)
    private readonly state: Pick<
      StateRepository,
      'reportWebhook' | 'sentWebhookSecret' | 'webhookSecretSent'
    >,
  ) {
    this.#publicUrl = config.server.publicUrl;
  }

  /** Null when `server.publicUrl` is not set, because the service could not reach us. */
  urlFor(workspace: Workspace): string | null {
    if (this.#publicUrl === undefined) return null;
    return `${withoutTrailing(this.#publicUrl, '/')}/webhooks/catalog/${encodeURIComponent(workspace.key)}`;
  }

  /** Keeps what was found, for people. */
  async report(workspace: Workspace, finding: SlotFinding): Promise<void> {
    await this.state.reportWebhook(workspace.key, finding);
  }

  /** Throws when the client was closed meanwhile: that says nothing about the slot. */
  async look(workspace: Workspace): Promise<SlotFinding> {
    const ours = this.urlFor(workspace);
    try {
      const current = await workspace.client.getWebhookSettings();
      if (current === null) return { state: 'free', detail: 'the webhook slot is empty' };
      if (ours !== null && isSameUrl(current.url, ours)) return await this.#ours(workspace, current);
      return {
        state: 'foreign',
        detail: `the webhook slot holds ${shownUrl(current.url)}, which is not ours`,
      };
    } catch (error) {
      if (!isCoded(error) || workspace.client.isClosed) throw error;
      return { state: 'unknown', detail: `the webhook slot cannot be read: ${errorLine(error)}` };
    }
  }

  /** A slot with our URL is ours, and must have our secret and all actions. */
  async #ours(workspace: Workspace, current: WebhookConfig): Promise<SlotFinding> {
    const known = await this.state.sentWebhookSecret(workspace.key);
    const differences = slotDifferences(current, workspace.settings.webhook.hmacSecret, known);
    if (differences.length === 0) return { state: 'ours', detail: `deliveries go to ${current.url}` };
    const what = differences.map((difference) => DIFFERENCES[difference]).join(' and ');
    return { state: 'outdated', detail: `the webhook slot holds our URL with ${what}` };
  }

  /**
   * Writes the slot when it is free or ours already, or when `force` is set. The finding is kept for `status`. Throws
   * `misconfigured` without a public address or a secret.
   */
  async register(workspace: Workspace, options: { force: boolean }): Promise<SlotFinding> {
    const url = this.urlFor(workspace);
    if (url === null)
      throw new CodedError(
        'misconfigured',
        'server.publicUrl is not set: the catalog service could not call us',
      );
    if (workspace.settings.webhook.hmacSecret === undefined)
      throw new CodedError(
        'misconfigured',
        `workspaces.${workspace.key}.webhook.hmacSecret is not set: no delivery could be verified, and none would be taken`,
      );
    const before = await this.look(workspace);
    const finding = await this.#write(workspace, url, before, options.force);
    await this.report(workspace, finding);
    return finding;
  }

  async #write(workspace: Workspace, url: string, before: SlotFinding, force: boolean): Promise<SlotFinding> {
    if (before.state === 'foreign' && !force) return before;
    if (before.state === 'unknown' && !force) return before;
    const { hmacSecret } = workspace.settings.webhook;
    try {
      const stored = await workspace.client.putWebhookSettings({
        url,
        ...(hmacSecret === undefined ? {} : { hmac_secret: hmacSecret }),
        // Named one by one: what a service makes of a list that is left out, or of an older one, is not shown.
        actions: [...WEBHOOK_ACTIONS],
      });
      await this.#remember(workspace, stored);
      return { state: 'ours', detail: `deliveries go to ${url}` };
    } catch (error) {
      if (!isCoded(error) || workspace.client.isClosed) throw error;
      return { state: 'unknown', detail: `the webhook slot could not be written: ${errorLine(error)}` };
    }
  }

  /** The answer to the write may show more of the secret than later reads do, so the slot is read again. */
  async #remember(workspace: Workspace, stored: WebhookConfig): Promise<void> {
    const { hmacSecret } = workspace.settings.webhook;
    const shown = await workspace.client.getWebhookSettings().catch((error: unknown) => {
      if (error instanceof CodedError) return stored;
      throw error;
    });
    await this.state.webhookSecretSent(workspace.key, {
      sent: secretHash(hmacSecret),
      shown: secretHash((shown ?? stored).hmac_secret),
    });
  }

  /** Empties the slot when it is ours, or when `force` is set. */
  async remove(workspace: Workspace, options: { force: boolean }): Promise<SlotFinding> {
    const before = await this.look(workspace);
    const mayBeForeign = before.state === 'foreign' || before.state === 'unknown';
    if (before.state === 'free' || (mayBeForeign && !options.force)) return before;
    await workspace.client.deleteWebhookSettings();
    return { state: 'free', detail: 'the webhook slot is empty' };
  }
}
