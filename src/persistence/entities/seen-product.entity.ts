import { Entity, PrimaryColumn } from 'typeorm';

/** A product that the read of a run has shown. The rows of a run are removed with the end of its plan. */
@Entity({ name: 'seen_product' })
export class SeenProductEntity {
  @PrimaryColumn('uuid') runId!: string;
  @PrimaryColumn('text') externalId!: string;
}
