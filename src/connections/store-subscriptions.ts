import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type PublicAddress } from '../config/index.js';
import { withoutTrailing } from '../domain/text.js';
import { StateRepository } from '../persistence/state.repository.js';
import type { Store } from './connections.js';

/** Keeps each store's subscription to its events at the public address of this installation. */
@Injectable()
export class StoreSubscriptions {
  constructor(
    private readonly state: StateRepository,
    @Inject(APP_CONFIG) private readonly config: PublicAddress,
  ) {}

  /**
   * Subscribes if the store's events can be verified. Without it, only schedules find changes. When the address has changed, the
   * subscriptions at the old one are ended: only those, because another installation may use the same app.
   */
  async keep(store: Store): Promise<void> {
    const { publicUrl } = this.config.server;
    if (publicUrl === undefined || store.settings.webhookSecret === undefined) return;
    const uri = eventsAddress(publicUrl, store);
    const former = (await this.state.store(store.key))?.eventsAddress ?? null;
    await store.connector.subscribe(uri, former === uri ? null : former);
    if (former !== uri) await this.state.subscribed(store.key, uri);
  }
}

/** Where a store sends its events. */
export function eventsAddress(publicUrl: string, { key, settings }: Pick<Store, 'key' | 'settings'>): string {
  return `${withoutTrailing(publicUrl, '/')}/webhooks/${settings.kind}/${encodeURIComponent(key)}`;
}
