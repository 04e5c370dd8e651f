import type { SandboxProduct } from './model.js';

/** The part of an export that one evaluation gives. */
export interface ExportWindow {
  readonly offset: number;
  readonly size: number;
  /** Items of each root connection by its response key, as they were when the export began. */
  readonly snapshots: Map<string, readonly SandboxProduct[]>;
}
