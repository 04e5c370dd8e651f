import type { StoreInstallationEntity } from '../persistence/entities/index.js';
import type { StandingPause } from '../persistence/store-health.repository.js';
import type { Finding } from './check.js';
import { checkMessages } from './messages.js';

type Installation = Pick<StoreInstallationEntity, 'shop' | 'storeKey' | 'installedAt' | 'uninstalledAt'>;

/** A finding for each store that a merchant installed. `left` has the shops that the configuration leaves out. Pure. */
export function installationFindings(
  installations: readonly Installation[],
  left: readonly string[],
): Finding[] {
  return installations.map(({ shop, storeKey, installedAt, uninstalledAt }) => {
    const what = checkMessages.installation(storeKey);
    if (left.includes(shop)) return { level: 'warn', what, detail: checkMessages.leftOut(shop) };
    if (uninstalledAt !== null)
      return { level: 'warn', what, detail: checkMessages.uninstalled(shop, dayOf(uninstalledAt)) };
    return { level: 'ok', what, detail: checkMessages.installedOn(shop, dayOf(installedAt)) };
  });
}

/** A finding for each store that is paused. Pure. */
export function pauseFindings(pauses: readonly (readonly [string, StandingPause | null])[]): Finding[] {
  return pauses.flatMap(([store, pause]): Finding[] =>
    pause === null
      ? []
      : [
          {
            level: 'warn',
            what: checkMessages.pause(store),
            detail: checkMessages.pausedSince(pause.since.toISOString(), pause.reason, store),
          },
        ],
  );
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
