import type { Visitor } from '../../src/dashboard/visit.js';

/** A person whose session has every right. */
export const VISITOR: Visitor = {
  session: { id: 's', name: 'admin', role: 'admin', expiresAtMs: 0, usedAtMs: 0 },
  notice: null,
};
