import type { FilterSettings } from '../domain/store-settings.js';
import type { WrittenContent } from '../domain/written-content.js';
import type { FingerprintRules } from '../planner/source.js';
import type { UnparsedProducts } from '../store/unparsed.js';

/** The settings that decide the fingerprint of a store's product, and whether it is synchronised at all. */
export interface FingerprintSettings {
  readonly rules: FingerprintRules;
  readonly filter: Pick<FilterSettings, 'status' | 'giftCards'>;
}

/** Memory that the main thread fills and the other one reads. */
export interface ThreadMemory {
  readonly slots: readonly SharedArrayBuffer[];
}

/** An order of the main thread. The products are in the slot's memory. */
export interface FingerprintOrder extends FingerprintSettings, UnparsedProducts {
  readonly slot: number;
  readonly written: readonly (WrittenContent | null)[];
}

/**
 * The fingerprint of each product, in the order of the products; null for a product that the settings leave out, or that could not be
 * parsed. The first reply has no slot: it says that the thread is ready.
 */
export interface FingerprintReply {
  readonly slot: number | null;
  readonly fingerprints: readonly (string | null)[];
}
