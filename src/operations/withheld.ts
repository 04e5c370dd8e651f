import { z } from 'zod';
import { IDENTIFIER_KINDS } from '../domain/catalog-product.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import { HOLDER_WORDS, HOLDERS, REMEDIES, type WithheldIdentifier } from '../domain/withheld-identifier.js';

export const withheldSchema = z.object({
  kind: z.enum(IDENTIFIER_KINDS),
  value: z.string(),
  /** external_id of the product or variant from which it is withheld. */
  owner: z.string(),
  reason: z.string(),
  /** The product that has it, and its owner. */
  holder: z.object({
    whose: z.enum(HOLDERS),
    /** The holder in words. */
    who: z.string(),
    externalIds: z.array(z.string()),
    catalogId: z.string().nullable(),
    /** external_ids of the products of ours among them, which have a page and a timeline. */
    products: z.array(z.string()),
  }),
  /** The way out, for people. */
  remedy: z.string(),
});
export type PresentedWithheld = z.output<typeof withheldSchema>;

/** A withheld identifier as commands, API and pages show it; pure. */
export function presentWithheld(withheld: WithheldIdentifier): PresentedWithheld {
  const { kind, value, owner, reason, holder } = withheld;
  const { whose, externalIds, catalogId } = holder;
  const isOurs = whose !== 'foreign' && whose !== 'unclaimed';
  const products = isOurs ? [...new Set(externalIds.flatMap(productOf))] : [];
  return {
    kind,
    value,
    owner,
    reason,
    holder: { whose, who: HOLDER_WORDS[whose], externalIds: [...externalIds], catalogId, products },
    remedy: REMEDIES[whose],
  };
}

function productOf(externalId: string): string[] {
  const ref = parseExternalId(externalId);
  return ref === null ? [] : [productExternalId(ref.store, ref.productId)];
}
