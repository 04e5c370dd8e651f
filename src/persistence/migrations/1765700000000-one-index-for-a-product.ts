import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each statement that looks for the identifiers of a product names its store by now, so that the index by store and product is enough. A
 * first load makes an entry less for each identifier. The release before works without this index, but reads the other one whole for each
 * product.
 */
export class OneIndexForAProduct1765700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX product_identifier_by_product');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX product_identifier_by_product ON product_identifier (product)');
  }
}
