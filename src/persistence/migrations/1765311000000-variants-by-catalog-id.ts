import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A result may name a variant by its catalog id alone. Without an index, each such result reads every product with variants. */
export class VariantsByCatalogId1765311000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX store_product_by_variant_id ON store_product
      USING gin (jsonb_path_query_array(variant_links, '$.*') jsonb_path_ops) WHERE variant_links <> '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX store_product_by_variant_id');
  }
}
