import { mutation, query } from './document.js';

/** Metafields of variants by name, with their product: a variant may have been deleted, or be another product's. */
export const LIVE_VARIANTS = query(
  'LiveVariants',
  100,
  `query LiveVariants($ids: [ID!]!, $keys: [String!]) {
  nodes(ids: $ids) {
    ... on ProductVariant {
      id
      product { id }
      metafields(first: 250, keys: $keys) { nodes { id namespace key type value compareDigest } }
    }
  }
}`,
);

export const CATEGORIES = query(
  'Categories',
  20,
  `query Categories($search: String!, $after: String) {
  taxonomy {
    categories(first: 250, search: $search, after: $after) {
      nodes { id fullName isArchived }
      pageInfo { hasNextPage endCursor }
    }
  }
}`,
);

export const CATEGORY = query(
  'Category',
  5,
  `query Category($id: ID!) {
  node(id: $id) { ... on TaxonomyCategory { id fullName isArchived } }
}`,
);

/** Repeatable: a tag that the product has is not added twice. */
export const TAGS_ADD = mutation(
  'TagsAdd',
  true,
  `mutation TagsAdd($id: ID!, $tags: [String!]!) {
  change: tagsAdd(id: $id, tags: $tags) { node { ... on Product { id tags } } userErrors { field message } }
}`,
);

/** Repeatable: a tag that the product lacks is not removed. */
export const TAGS_REMOVE = mutation(
  'TagsRemove',
  true,
  `mutation TagsRemove($id: ID!, $tags: [String!]!) {
  change: tagsRemove(id: $id, tags: $tags) { node { ... on Product { id tags } } userErrors { field message } }
}`,
);

export const FILE_UPDATE = mutation(
  'FileUpdate',
  // Not repeatable, as with ProductUpdate.
  false,
  `mutation FileUpdate($files: [FileUpdateInput!]!) {
  fileUpdate(files: $files) { files { id alt } userErrors { field message code } }
}`,
);
