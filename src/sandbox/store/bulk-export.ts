import { setImmediate as nextTurn } from 'node:timers/promises';
import { execute } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { SandboxProduct } from './model.js';

/** The part of an export that one evaluation gives. */
export interface ExportWindow {
  offset: number;
  readonly size: number;
  /** The products of the moment the export began; the first evaluation sets them. */
  products: readonly SandboxProduct[] | null;
}

export interface ExportFile {
  readonly lines: readonly string[];
  readonly rootCount: number;
}

const WINDOW = 100;

interface Row {
  readonly line: string;
  readonly depth: number;
  /** Place among its siblings: rows are dealt out by it. */
  readonly place: number;
}

/**
 * Evaluates an export's query against the shop, part by part so that the process stays responsive, and writes a line for
 * each node. Children come behind their parent, but among other parents' lines: no reader can count on finding them next to it.
 * `context` is what resolvers get. The products are those of the moment it begins. Throws the first error of the execution.
 */
export async function evaluateExport(
  schema: GraphQLSchema,
  rootValue: object,
  document: DocumentNode,
  context: object,
): Promise<ExportFile> {
  const lines: string[] = [];
  let held: Row[] = [];
  let rootCount = 0;
  const exportWindow: ExportWindow = { offset: 0, size: WINDOW, products: null };
  for (let offset = 0; ; offset += WINDOW) {
    exportWindow.offset = offset;
    const result = await execute({ schema, document, rootValue, contextValue: { ...context, exportWindow } });
    const [error] = result.errors ?? [];
    if (error) throw error;
    const rows = rowsBelow(result.data ?? {}, null, 0);
    const roots = rows.filter((row) => row.depth === 0);
    rootCount += roots.length;
    // Children wait until the next part's roots are out.
    lines.push(...roots.map((row) => row.line), ...dealt(held));
    held = rows.filter((row) => row.depth > 0);
    if (offset + WINDOW >= (exportWindow.products?.length ?? 0)) break;
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

/** The rows of the connections in a value, and of those below their nodes. */
function rowsBelow(value: object, parentId: unknown, depth: number): Row[] {
  return splitOf(value).connections.flatMap((nodes) =>
    nodes.flatMap((node, place) => {
      const { own } = splitOf(node);
      const fields = parentId === null ? own : { ...own, __parentId: parentId };
      return [{ line: jsonLine(fields), depth, place }, ...rowsBelow(node, own['id'], depth + 1)];
    }),
  );
}

interface Split {
  /** Without connections: each of them becomes lines. */
  readonly own: Record<string, unknown>;
  readonly connections: (readonly object[])[];
}

function splitOf(value: object): Split {
  const split: Split = { own: {}, connections: [] };
  for (const [key, field] of Object.entries(value) as [string, unknown][]) {
    if (typeof field !== 'object' || field === null || Array.isArray(field)) split.own[key] = field;
    else if ('edges' in field) split.connections.push(nodesOf(field.edges));
    else {
      const inner = splitOf(field);
      split.own[key] = inner.own;
      split.connections.push(...inner.connections);
    }
  }
  return split;
}

function nodesOf(edges: unknown): object[] {
  const all: unknown[] = Array.isArray(edges) ? edges : [];
  return all.flatMap((edge) => {
    const node = typeof edge === 'object' && edge !== null && 'node' in edge ? edge.node : null;
    return typeof node === 'object' && node !== null ? [node] : [];
  });
}

/** Slashes are escaped, as in the real files: whoever matches text instead of parsing it finds nothing. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll('/', '\\/');
}
