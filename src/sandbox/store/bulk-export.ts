import { setImmediate as nextTurn } from 'node:timers/promises';
import { execute } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import type { BulkQueryPlan, ConnectionPlan } from './bulk-validation.js';
import type { SandboxProduct } from './model.js';
import type { ExportWindow } from './export-window.js';

export interface ExportFile {
  readonly lines: readonly string[];
  readonly rootCount: number;
}

/** `grouped`: children right behind their parent. `scattered`: behind it too, but among other parents' lines. */
export type ExportOrder = 'grouped' | 'scattered';

const WINDOW = 100;

interface Row {
  readonly line: string;
  readonly depth: number;
  /** Place among its siblings: rows are dealt out by it when they are scattered. */
  readonly place: number;
}

/**
 * Evaluates an export's query against the shop, part by part so that the process stays responsive, and writes a line for
 * each node. `context` is what resolvers of the request get. The root items are those of the moment it begins. Throws the first error of the execution.
 */
export async function evaluateExport(
  schema: GraphQLSchema,
  rootValue: object,
  plan: BulkQueryPlan,
  context: object,
  order: ExportOrder,
): Promise<ExportFile> {
  const snapshots = new Map<string, readonly SandboxProduct[]>();
  const lines: string[] = [];
  let held: Row[] = [];
  let rootCount = 0;
  for (let offset = 0; ; offset += WINDOW) {
    const exportWindow: ExportWindow = { offset, size: WINDOW, snapshots };
    const result = await execute({
      schema,
      document: plan.document,
      rootValue,
      contextValue: { ...context, exportWindow },
    });
    const [error] = result.errors ?? [];
    if (error) throw error;
    const rows = plan.connections.flatMap((connection) => rowsOf(result.data, connection, null, 0));
    const roots = rows.filter((row) => row.depth === 0);
    rootCount += roots.length;
    if (order === 'grouped') lines.push(...rows.map((row) => row.line));
    else {
      // Children wait until the next part's roots are out, so that no reader can count on finding them next to their parent.
      lines.push(...roots.map((row) => row.line), ...dealt(held));
      held = rows.filter((row) => row.depth > 0);
    }
    const longest = Math.max(0, ...[...snapshots.values()].map((items) => items.length));
    if (offset + WINDOW >= longest) break;
    await nextTurn();
  }
  return { lines: [...lines, ...dealt(held)], rootCount };
}

/** Parents before children at every depth, siblings of different parents mixed. */
function dealt(rows: readonly Row[]): string[] {
  return rows
    .toSorted((left, right) => left.depth - right.depth || left.place - right.place)
    .map((row) => row.line);
}

function rowsOf(data: unknown, plan: ConnectionPlan, parentId: unknown, depth: number): Row[] {
  const connection = plan.path.reduce<unknown>((value, key) => property(value, key), data);
  const edges = property(connection, 'edges');
  if (!Array.isArray(edges)) return [];
  return edges.flatMap((edge: unknown, place): Row[] => {
    const node = property(edge, 'node');
    const own = { ...without(node, plan.children), ...(parentId === null ? {} : { __parentId: parentId }) };
    const children = plan.children.flatMap((child) => rowsOf(node, child, property(node, 'id'), depth + 1));
    return [{ line: jsonLine(own), depth, place }, ...children];
  });
}

/** The node without its connections: each of them becomes lines. */
function without(node: unknown, connections: readonly ConnectionPlan[]): Record<string, unknown> {
  const copy = { ...(isRecord(node) ? node : {}) };
  for (const { path } of connections) {
    const [key, ...rest] = path;
    if (key === undefined) continue;
    if (rest.length === 0) Reflect.deleteProperty(copy, key);
    else if (isRecord(copy[key])) copy[key] = without(copy[key], [{ path: rest, children: [] }]);
  }
  return copy;
}

/** Slashes are escaped, as in the real files: whoever matches text instead of parsing it finds nothing. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll('/', '\\/');
}

function property(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
