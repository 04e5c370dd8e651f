/** `mapped`: it is meant for a target. `not_mapped`: no setting says where it goes. `unusable`: the store cannot hold it. */
export const ARRIVED_FATES = ['mapped', 'not_mapped', 'unusable'] as const;
export type ArrivedFate = (typeof ARRIVED_FATES)[number];

/** One part of a generation result, and whether it may reach the store. */
export interface ArrivedPart {
  /** Field of the catalog product, or `sections.CODE` of an attribute. */
  readonly from: string;
  /** The start of the value, for people. */
  readonly excerpt: string;
  readonly fate: ArrivedFate;
  /** Store field or metafield; null unless mapped. */
  readonly target: string | null;
  /** The setting that would map it; null unless `not_mapped`. */
  readonly setting: string | null;
}
