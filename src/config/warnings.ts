import type { AppConfig } from './schema.js';
import { messages } from './messages.js';

/** The sender's five retries span 609 s, and up to 60 s of timeouts (docs/catalog-rules.md#delivery). */
const RETRIES_SPAN_SECONDS = 669;

/** Settings that work but are probably not intended: one line each, without values. */
export function configWarnings(config: AppConfig): readonly string[] {
  const warnings: string[] = [];
  for (const [name, workspace] of Object.entries(config.workspaces)) {
    const key = `workspaces.${name}`;
    const { webhook } = workspace;
    if (webhook.register && config.server.publicUrl === undefined) {
      warnings.push(messages.noPublicUrl(key));
    }
    if (webhook.register && webhook.hmacSecret === undefined) {
      warnings.push(messages.noSecret(key));
    }
    if (webhook.toleranceSeconds < RETRIES_SPAN_SECONDS) {
      warnings.push(messages.shortTolerance(key, RETRIES_SPAN_SECONDS));
    }
    if (!new URL(workspace.baseUrl).pathname.endsWith('/api/v1')) {
      warnings.push(messages.otherPrefix(key));
    }
  }
  return warnings;
}
