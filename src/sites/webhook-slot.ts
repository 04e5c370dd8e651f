import { Injectable, Inject } from '@nestjs/common';
import { APP_CONFIG, AppConfig } from '../config/index.js';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import { StateRepository } from '../persistence/state.repository.js';
import type { Workspace } from './sites.js';

export type SlotState = 'ours' | 'free' | 'foreign' | 'unknown';

export interface SlotFinding {
  readonly state: SlotState;
  /** What is there, for people; never a secret. */
  readonly detail: string;
}

/**
 * The workspace's one webhook slot (docs/catalog-rules.md#webhook-configuration; docs/decisions/0014-the-webhook-slot.md): a POST replaces whatever is
 * there, so somebody else's URL is never overwritten unless a person says so.
 */
@Injectable()
export class WebhookSlot {
  readonly #publicUrl: string | undefined;

  constructor(
    @Inject(APP_CONFIG) config: { readonly server: Pick<AppConfig['server'], 'publicUrl'> },
    @Inject(StateRepository) private readonly state: Pick<StateRepository, 'reportWebhook'>,
  ) {
    this.#publicUrl = config.server.publicUrl;
  }

  /** Null when `server.publicUrl` is not set: nobody could call us. */
  urlFor(workspace: Workspace): string | null {
    if (this.#publicUrl === undefined) return null;
    return `${this.#publicUrl.replace(/\/+$/, '')}/webhooks/catalog/${encodeURIComponent(workspace.key)}`;
  }

  async look(workspace: Workspace): Promise<SlotFinding> {
    const ours = this.urlFor(workspace);
    try {
      const current = await workspace.client.getWebhookSettings();
      if (current === null) return { state: 'free', detail: 'the webhook slot is empty' };
      if (current.url === ours) return { state: 'ours', detail: `deliveries go to ${current.url}` };
      return { state: 'foreign', detail: `the webhook slot holds ${current.url}, which is not ours` };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return { state: 'unknown', detail: `the webhook slot cannot be read: ${errorLine(error)}` };
    }
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
    await this.state.reportWebhook(workspace.key, finding);
    return finding;
  }

  async #write(workspace: Workspace, url: string, before: SlotFinding, force: boolean): Promise<SlotFinding> {
    if (before.state === 'foreign' && !force) return before;
    if (before.state === 'unknown' && !force) return before;
    const { hmacSecret } = workspace.settings.webhook;
    try {
      await workspace.client.putWebhookSettings({
        url,
        ...(hmacSecret === undefined ? {} : { hmac_secret: hmacSecret }),
      });
      return { state: 'ours', detail: `deliveries go to ${url}` };
    } catch (error) {
      if (!isCoded(error)) throw error;
      return { state: 'unknown', detail: `the webhook slot could not be written: ${errorLine(error)}` };
    }
  }

  /** Empties the slot when it is ours, or when `force` is set. */
  async remove(workspace: Workspace, options: { force: boolean }): Promise<SlotFinding> {
    const before = await this.look(workspace);
    if (before.state === 'free' || (before.state === 'foreign' && !options.force)) return before;
    await workspace.client.deleteWebhookSettings();
    return { state: 'free', detail: 'the webhook slot is empty' };
  }
}
