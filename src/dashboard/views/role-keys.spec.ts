import { describe, expect, it } from '@jest/globals';
import type { Role } from '../../api/access.js';
import type { Visitor } from '../visit.js';
import { deliveriesPage } from './deliveries.js';
import { reviewPage } from './review.js';

const visitor = (role: Role): Visitor => ({
  session: { id: 's', name: 'ann', role, expiresAtMs: 1, usedAtMs: 0 },
  notice: null,
});
const none = { items: [], total: 0, limit: 50, offset: 0 };
const deliveries = (role: Role): string =>
  deliveriesPage(visitor(role), none, { given: {}, counts: {}, stores: [] });
const review = (role: Role): string =>
  reviewPage(visitor(role), none, new Map(), {
    ...{ given: {}, stores: [], last: null },
    images: new Map(),
    objections: new Map(),
  });

describe('the keys that a page names', () => {
  it('are those for choosing deliveries only for an admin, who alone may replay them', () => {
    const named = (['viewer', 'reviewer', 'admin'] as const).map((role) =>
      deliveries(role).includes('</kbd> choose'),
    );
    expect(named).toEqual([false, false, true]);
  });

  it('are those for decisions only for those who may decide', () => {
    const named = (['viewer', 'reviewer', 'admin'] as const).map((role) =>
      review(role).includes('</kbd> choose'),
    );
    expect(named).toEqual([false, true, true]);
  });
});
