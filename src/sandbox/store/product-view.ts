import { connectionOf, wholeConnection } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { gid } from './model.js';
import type { MediaImage, Metafield, ProductVariant, SandboxProduct } from './model.js';
import { metafieldDigest } from './product-import.js';
import type { RequestContext } from './request-context.js';

/*
 * Records as the schema's types: plain values where a field is one, methods where it takes arguments or costs work. The
 * executor has checked arguments against the schema before it calls a method.
 */

interface MetafieldsArgs extends ConnectionArgs {
  readonly namespace?: string | null;
  /** As `namespace.key`. */
  readonly keys?: readonly string[] | null;
}

export function productView(product: SandboxProduct, context: RequestContext): object {
  const { descriptionHtml, category, seoTitle, seoDescription, variants, media } = product;
  return {
    ...product,
    __typename: 'Product',
    id: product.gid,
    descriptionHtml,
    category: category && categoryView(category),
    seo: { title: seoTitle, description: seoDescription },
    options: product.options.map(({ name, values }, index) => ({
      name,
      position: index + 1,
      optionValues: values.map((value) => ({ name: value })),
    })),
    variants: (args: ConnectionArgs) =>
      listed(variants, args, context, (variant) => variantView(variant, product, context)),
    media: (args: ConnectionArgs) => listed(media, args, context, mediaView),
    ...metafieldFields(product.metafields, product, context),
    updatedAt: product.changedAt,
    onlineStoreUrl: onlineStoreUrl(product, context),
    translations: translationsOf(product.gid, context),
  };
}

export function variantView(
  variant: ProductVariant,
  product: SandboxProduct,
  context: RequestContext,
): object {
  const image = product.media.filter(({ id }) => id === variant.mediaId);
  return {
    ...variant,
    __typename: 'ProductVariant',
    id: variant.gid,
    position: product.variants.indexOf(variant) + 1,
    inventoryItem: { measurement: { weight: variant.weight } },
    product: () => productView(product, context),
    media: (args: ConnectionArgs) => listed(image, args, context, mediaView),
    ...metafieldFields(variant.metafields, variant, context),
  };
}

export function metafieldView(
  metafield: Metafield,
  owner: { readonly gid: string },
  context: RequestContext,
): object {
  const id = gid('Metafield', metafield.id);
  return {
    ...metafield,
    __typename: 'Metafield',
    id,
    compareDigest: metafieldDigest(metafield.value),
    owner: { __typename: /\/(\w+)\/\d+$/.exec(owner.gid)?.[1], id: owner.gid },
    translations: translationsOf(id, context),
  };
}

export function mediaView({ id, url, alt }: MediaImage): object {
  return {
    __typename: 'MediaImage',
    id: gid('MediaImage', id),
    alt: alt ?? '',
    status: 'READY',
    image: { url },
  };
}

export function categoryView({ gid: id, fullName }: { gid: string; fullName: string }): object {
  return { __typename: 'TaxonomyCategory', id, fullName, isArchived: false };
}

/** Translations of a resource into the locale that is asked for. */
export function translationsOf(resourceGid: string, { state }: RequestContext) {
  return ({ locale }: { locale: string }): object[] =>
    state.translations(resourceGid).filter((translation) => translation.locale === locale);
}

function onlineStoreUrl(
  { isPublished, status, handle }: SandboxProduct,
  context: RequestContext,
): string | null {
  const isShown = isPublished && (status === 'ACTIVE' || status === 'UNLISTED');
  return isShown ? `https://${context.state.shop}/products/${encodeURIComponent(handle)}` : null;
}

function metafieldFields(
  metafields: readonly Metafield[],
  owner: { readonly gid: string },
  context: RequestContext,
): object {
  const view = (metafield: Metafield): object => metafieldView(metafield, owner, context);
  return {
    metafield: ({ namespace, key }: { namespace?: string | null; key: string }) => {
      const found = metafields.find((each) => each.namespace === namespace && each.key === key);
      return found ? view(found) : null;
    },
    metafields: ({ namespace, keys, ...args }: MetafieldsArgs) => {
      const wanted = metafields.filter(
        (each) =>
          (!namespace || each.namespace === namespace) &&
          (!keys || keys.includes(`${each.namespace}.${each.key}`)),
      );
      return listed(wanted, args, context, view);
    },
  };
}

/** A nested connection: cut to the window that was asked for, or whole while an export is evaluated. */
function listed<Item extends { readonly id: number }>(
  items: readonly Item[],
  args: ConnectionArgs,
  context: RequestContext,
  view: (item: Item) => object,
): Connection<object> {
  if (context.exportWindow) return wholeConnection(items, view);
  const placed = items.map((item, value) => ({ item, position: { id: item.id, value } }));
  return connectionOf(
    placed,
    args,
    ({ position }) => position,
    ({ item }) => view(item),
  );
}
