import type { CatalogField } from '../domain/catalog-product.js';

/** The catalog fields whose store fields write-back writes, in the primary language or in a further one. */
export function generatedCatalogFields(
  writeBackFields: Readonly<Record<string, string>>,
  locales: readonly string[] = [],
): Set<CatalogField> {
  const targets = new Set(Object.values(writeBackFields));
  const generated = new Set<CatalogField>();
  if (locales.length > 0) generated.add('translations');
  if (targets.has('title')) generated.add('name');
  if (targets.has('descriptionHtml')) generated.add('description').add('html_description');
  if (targets.has('vendor')) generated.add('brand');
  if (targets.has('productType') || targets.has('category')) generated.add('category');
  return generated;
}
