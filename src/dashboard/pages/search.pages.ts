import { Query } from '@nestjs/common';
import { z } from 'zod';
import { SearchOperations } from '../../operations/search.js';
import { formQuery, searchSchema } from '../page-query.js';
import { Page, Pages } from '../page-routes.js';
import { OtherAnswer, ThisVisit, type Visit } from '../visit.js';
import { onlyResult, searchPage } from '../views/search.js';

const querySchema = formQuery({ q: searchSchema });

/** The search of the header. */
@Pages('search')
export class SearchPages {
  constructor(private readonly search: SearchOperations) {}

  /** Leads to the only result at once. */
  @Page()
  async show(
    @Query({ schema: querySchema }) { q: text = '' }: z.output<typeof querySchema>,
    @ThisVisit() visit: Visit,
  ): Promise<string> {
    const result = await this.search.search(text);
    const only = onlyResult(result);
    if (only !== null) throw new OtherAnswer({ url: only });
    return searchPage(visit.shown(), text, result);
  }
}
