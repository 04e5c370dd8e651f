import { Initial1763700000000 } from './1763700000000-initial.js';

/** Every migration, oldest first. They are listed, not globbed, so that a test cannot miss one. */
export const MIGRATIONS = [Initial1763700000000];
