import { Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { Allow } from '../../api/allow.js';
import { BUILT_IN, ConfigSource } from '../../config/index.js';
import { formQuery, searchSchema } from '../page-query.js';
import { Pages } from '../page-routes.js';
import { ThisVisitor, type Visitor } from '../visit.js';
import { settingsPage } from '../views/settings.js';

const querySchema = formQuery({ search: searchSchema, all: z.literal('1').optional() });
/** The most settings on the page. Hundreds of stores have tens of thousands. */
const SHOWN = 500;

@Pages('settings')
export class SettingsPages {
  constructor(private readonly source: ConfigSource) {}

  @Get()
  @Allow('admin')
  show(
    @Query({ schema: querySchema }) { search, all }: z.output<typeof querySchema>,
    @ThisVisitor() visitor: Visitor,
  ): string {
    const wanted = search?.toLowerCase() ?? '';
    const matching = this.source
      .settings()
      .filter(({ origin }) => all === '1' || wanted !== '' || origin !== BUILT_IN)
      .filter(({ key, value, origin }) =>
        [key, value, origin].some((text) => text.toLowerCase().includes(wanted)),
      )
      .toSorted((one, other) => Number(one.origin === BUILT_IN) - Number(other.origin === BUILT_IN));
    return settingsPage(visitor, {
      settings: matching.slice(0, SHOWN),
      search,
      all: all === '1',
      more: Math.max(0, matching.length - SHOWN),
    });
  }
}
