import { WEBHOOK_ACTIONS, type WebhookConfig } from '../catalog/schemas.js';
import { fingerprint } from '../domain/fingerprint.js';
import { withoutTrailing } from '../domain/text.js';

/** Hashes of the secret that was last sent to the slot, and of the service's display of it. */
export interface SentSecret {
  readonly sent: string;
  readonly shown: string;
}

export type SlotDifference = 'secret' | 'actions';

/** The same address in any spelling: services normalise host names and trailing slashes. */
export function isSameUrl(left: string, right: string): boolean {
  const normal = (url: string): string => withoutTrailing(URL.canParse(url) ? new URL(url).href : url, '/');
  return normal(left) === normal(right);
}

/** An address for people: without user name, password and query, which may be another system’s secrets. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return 'an address that is no URL';
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}${parsed.search === '' ? '' : '?…'}`;
}

export function secretHash(secret: string | null | undefined): string {
  return fingerprint(secret ?? '');
}

/**
 * The differences between a slot with our URL and the configuration. A service may hide or mask the secret. It then
 * counts as ours while its display stays the same as after our last write, and also when we never sent a secret.
 */
export function slotDifferences(
  slot: Pick<WebhookConfig, 'hmac_secret' | 'actions'>,
  secret: string | undefined,
  known: SentSecret | null,
): SlotDifference[] {
  const differences: SlotDifference[] = [];
  if (secret !== undefined && !isOurSecret(slot.hmac_secret, secret, known)) differences.push('secret');
  // An absent list means all events. An empty list may mean none.
  if (slot.actions != null && !WEBHOOK_ACTIONS.every((action) => slot.actions?.includes(action)))
    differences.push('actions');
  return differences;
}

function isOurSecret(shown: string | null | undefined, secret: string, known: SentSecret | null): boolean {
  if (shown === secret) return true;
  if (known === null) return isHidden(shown);
  return known.sent === secretHash(secret) && known.shown === secretHash(shown);
}

/** True for no value, and for one that is clearly a mask and not the secret. */
function isHidden(shown: string | null | undefined): boolean {
  return shown == null || /^\W*$|[*•●]{2,}|^\W*(?:redacted|hidden|masked)\W*$/i.test(shown);
}
