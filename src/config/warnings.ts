import type { AppConfig } from './schema.js';

/** The sender's five retries span 609 s, and up to 60 s of timeouts (docs/catalog-rules.md#delivery). */
const RETRIES_SPAN_SECONDS = 669;

/** Settings that work but are probably not intended: one line each, without values. */
export function configWarnings(config: AppConfig): readonly string[] {
  const warnings: string[] = [];
  for (const [name, workspace] of Object.entries(config.workspaces)) {
    const key = `workspaces.${name}`;
    const { webhook, generation } = workspace;
    const isUnreachable = webhook.register && config.server.publicUrl === undefined;
    if (isUnreachable) {
      warnings.push(
        `${key}.webhook.register: server.publicUrl is not set: no webhook is registered, and results arrive by polling`,
      );
    }
    if (webhook.register && webhook.hmacSecret === undefined) {
      warnings.push(
        `${key}.webhook.hmacSecret is not set: no webhook is registered, and results arrive by polling`,
      );
    }
    if (generation.minCreditsRemaining > 0 && (isUnreachable || webhook.hmacSecret === undefined)) {
      warnings.push(
        `${key}.generation.minCreditsRemaining does not hold: only webhooks name the credits, and none are received`,
      );
    }
    if (webhook.toleranceSeconds < RETRIES_SPAN_SECONDS) {
      warnings.push(
        `${key}.webhook.toleranceSeconds is under ${String(RETRIES_SPAN_SECONDS)}: late retries of a delivery would be refused permanently`,
      );
    }
    if (!new URL(workspace.baseUrl).pathname.endsWith('/api/v1')) {
      warnings.push(`${key}.baseUrl does not end in /api/v1, the prefix that the service documents`);
    }
  }
  return warnings;
}
