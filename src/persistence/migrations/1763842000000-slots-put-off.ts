import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A slot of the schedule that came due while another run was active: its run follows. */
export class SlotsPutOff1763842000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE store_state ADD COLUMN slot_due timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE store_state DROP COLUMN slot_due');
  }
}
