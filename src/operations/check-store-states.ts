import type { StoreInstallationEntity } from '../persistence/entities/index.js';
import type { StandingPause } from '../persistence/side-pause.repository.js';
import type { Finding } from './check.js';

type Installation = Pick<StoreInstallationEntity, 'shop' | 'storeKey' | 'installedAt' | 'uninstalledAt'>;

/** A finding for each store that a merchant installed. `left` has the shops that the configuration leaves out. Pure. */
export function installationFindings(
  installations: readonly Installation[],
  left: readonly string[],
): Finding[] {
  return installations.map(({ shop, storeKey, installedAt, uninstalledAt }) => {
    const what = `store ${storeKey}: installation`;
    if (left.includes(shop))
      return {
        level: 'warn',
        what,
        detail: `${shop} is left out: a file has the shop or its key, or storeTemplate is not set`,
      };
    if (uninstalledAt !== null)
      return {
        level: 'warn',
        what,
        detail: `the merchant of ${shop} uninstalled the app on ${dayOf(uninstalledAt)}: it waits until it is installed again`,
      };
    return { level: 'ok', what, detail: `${shop} was installed by its merchant on ${dayOf(installedAt)}` };
  });
}

/** The keys of the stores whose merchants uninstalled the app. Their tokens are gone, so that nothing can be asked. */
export function uninstalledKeys(
  installations: readonly Pick<Installation, 'storeKey' | 'uninstalledAt'>[],
): ReadonlySet<string> {
  const gone = installations.filter(({ uninstalledAt }) => uninstalledAt !== null);
  return new Set(gone.map(({ storeKey }) => storeKey));
}

/** A finding for each store that is paused. Pure. */
export function pauseFindings(pauses: readonly (readonly [string, StandingPause | null])[]): Finding[] {
  return pauses.flatMap(([store, pause]): Finding[] =>
    pause === null
      ? []
      : [
          {
            level: 'warn',
            what: `store ${store}: pause`,
            detail: `paused since ${pause.since.toISOString()}: ${pause.reason}; once that is fixed, run store-sync retry --store ${store}`,
          },
        ],
  );
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
