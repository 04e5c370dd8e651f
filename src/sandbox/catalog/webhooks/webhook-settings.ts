import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SandboxDatabase, type Queryable } from '../database.js';
import { ACTIONS, type Action } from '../generation/outcome.js';

/** docs/catalog-rules.md#webhook-configuration. */
export const webhookRequest = z.object({
  url: z.url({
    protocol: /^https?$/,
    error: (issue) => (issue.input === undefined ? undefined : 'Enter a valid URL.'),
  }),
  hmac_secret: z.string().max(1000).nullish(),
  actions: z.array(z.enum(ACTIONS)).nullish(),
});

export interface WebhookConfiguration {
  readonly url: string;
  readonly hmac_secret: string | null;
  /** Never left out of an answer: what was omitted is all three. */
  readonly actions: readonly Action[];
}

/** The single webhook configuration of the workspace (docs/catalog-rules.md#limits). */
@Injectable()
export class WebhookSettings {
  constructor(private readonly database: SandboxDatabase) {}

  /** Undefined while there is none. */
  async current(db: Queryable = this.database): Promise<WebhookConfiguration | undefined> {
    const { rows } = await db.query<WebhookConfiguration>(
      'SELECT url, hmac_secret, actions FROM webhook_configuration',
    );
    return rows[0];
  }

  /** Always replaces the whole: what the request leaves out is not kept. A blank secret is no secret. */
  async replace({
    url,
    hmac_secret: secret,
    actions,
  }: z.infer<typeof webhookRequest>): Promise<WebhookConfiguration> {
    const configuration = {
      url,
      hmac_secret: secret === '' ? null : (secret ?? null),
      actions: [...new Set(actions ?? ACTIONS)],
    };
    await this.database.query(
      `INSERT INTO webhook_configuration (url, hmac_secret, actions) VALUES ($1, $2, $3)
       ON CONFLICT (singleton) DO UPDATE
       SET url = excluded.url, hmac_secret = excluded.hmac_secret, actions = excluded.actions`,
      [configuration.url, configuration.hmac_secret, configuration.actions],
    );
    return configuration;
  }

  async remove(): Promise<void> {
    await this.database.query('DELETE FROM webhook_configuration');
  }
}
