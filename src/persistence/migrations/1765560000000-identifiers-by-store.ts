import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A full run looks for products of its store that have identifiers and no link. Without this index it read the identifiers of all stores,
 * so that the run of a small store cost what the whole deployment holds.
 */
export class IdentifiersByStore1765560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX product_identifier_by_store ON product_identifier (store, product)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX product_identifier_by_store');
  }
}
