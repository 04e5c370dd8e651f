import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many products a store had on a day (UTC), and how many of them had generated content. The last count of the day stays. */
@Entity({ name: 'store_day' })
export class StoreDayEntity {
  @PrimaryColumn('text') store!: string;
  @PrimaryColumn('date') day!: string;
  @Column('integer') products!: number;
  @Column('integer') withContent!: number;
}
