import Table from 'cli-table3';
import { productExternalId } from '../../domain/external-id.js';
import type { PresentedRun } from '../../operations/present-run.js';
import type { StoreProductEntity } from '../../persistence/entities/index.js';
import { plainTextOf } from '../../planner/html-content.js';
import type { SandboxProduct } from '../../sandbox/store/index.js';
import { messages } from '../messages.js';
import { printable } from '../terminal.js';
import { isSynchronised } from './demo-products.js';

/** The result of the demo for one product. */
export interface DemoOutcome {
  readonly externalId: string;
  readonly before: SandboxProduct;
  readonly after: SandboxProduct | undefined;
  /** For people. */
  readonly outcome: string;
  /** Null for a product that the demo's store leaves alone, false for one that did not get through the whole loop. */
  readonly completed: boolean | null;
  /** True when a gate holds its text back for a person. */
  readonly isHeld: boolean;
}

/** The rows of one product that the demo shows. */
export interface ProductStory {
  readonly link: StoreProductEntity | null;
  readonly taskState: string | null;
  readonly taskReason: string | null;
  readonly writeBack: {
    readonly state: string;
    readonly reason: string | null;
    readonly isHeld: boolean;
  } | null;
  readonly failure: string | null;
}

export function outcomeOf(
  before: SandboxProduct,
  after: SandboxProduct | undefined,
  story: ProductStory,
  shop: string,
): DemoOutcome {
  const externalId = productExternalId(shop, String(before.id));
  const { outcome, completed } = resultOf(before, story);
  return { externalId, before, after, outcome, completed, isHeld: story.writeBack?.isHeld === true };
}

/** Lines to print beside the counts of a run: the reason of its failure, and its notes. */
export function remarksOf({ error, notes }: Pick<PresentedRun, 'error' | 'notes'>): string[] {
  return [...(error === null ? [] : [error]), ...notes];
}

/** The result as a text for people, and whether the product got through the whole loop. */
export function resultOf(
  before: Pick<SandboxProduct, 'status' | 'isGiftCard'>,
  story: ProductStory,
): { outcome: string; completed: boolean | null } {
  if (!isSynchronised(before)) {
    const kind = before.isGiftCard ? 'a gift card' : before.status.toLowerCase();
    return { outcome: messages.leftAlone(kind), completed: null };
  }
  if (story.failure !== null) return { outcome: messages.refused(story.failure), completed: false };
  if (story.link === null) return { outcome: messages.notLinked, completed: false };
  const withheld = story.link.withheld.map(({ kind, value }) => messages.withheld(kind, value)).join('');
  if (story.taskState === 'failed')
    return {
      outcome: `generation failed: ${story.taskReason ?? messages.noReason}${withheld}`,
      completed: true,
    };
  if (story.taskState === 'no_urls') return { outcome: messages.noContent(withheld), completed: true };
  if (story.writeBack === null) return { outcome: messages.waitingContent(withheld), completed: false };
  const { state, reason, isHeld } = story.writeBack;
  // A text that a gate held back waits for a person, as it should.
  const done = state === 'applied' || state === 'skipped' || (state === 'pending_review' && isHeld);
  return { outcome: `${state}: ${reason ?? ''}${withheld}`, completed: done };
}

/** Column widths when there is enough room. */
const WIDTHS = [30, 44, 44, 40];
const NARROWEST = 12;

/** The table shows no more rows. An export of a real shop has thousands of products. */
const MOST_ROWS = 100;

/**
 * The before/after table, at most as wide as the terminal. It has one row per product. Of more than a hundred it shows those first
 * that did not complete, or that a gate holds back. `columns` is absent in a pipe.
 */
export function outcomeTable(outcomes: readonly DemoOutcome[], columns?: number): string {
  const table = new Table({
    head: ['product', 'before', 'after', 'outcome'],
    colWidths: widthsFor(columns),
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { before, after, outcome } of shownOf(outcomes)) {
    table.push([
      printable(before.handle, 60),
      textOf(before),
      after === undefined ? '(deleted)' : changed(before, after),
      printable(outcome, 160),
    ]);
  }
  const rest = outcomes.length - MOST_ROWS;
  return rest > 0 ? `${table.toString()}\n${messages.demoMore(rest)}` : table.toString();
}

function shownOf(outcomes: readonly DemoOutcome[]): readonly DemoOutcome[] {
  if (outcomes.length <= MOST_ROWS) return outcomes;
  const isNotable = ({ completed, isHeld }: DemoOutcome): boolean => completed === false || isHeld;
  return [...outcomes.filter(isNotable), ...outcomes.filter((outcome) => !isNotable(outcome))].slice(
    0,
    MOST_ROWS,
  );
}

function widthsFor(columns: number | undefined): number[] {
  const room = (columns ?? Number.POSITIVE_INFINITY) - (WIDTHS.length + 1);
  const wanted = WIDTHS.reduce((sum, width) => sum + width, 0);
  return WIDTHS.map((width) => Math.max(NARROWEST, Math.floor(width * Math.min(1, room / wanted))));
}

function changed(before: SandboxProduct, after: SandboxProduct): string {
  const same = before.title === after.title && before.descriptionHtml === after.descriptionHtml;
  const metafields = after.metafields.length - before.metafields.length;
  if (same && metafields === 0) return '(as before)';
  return `${textOf(after)}${metafields > 0 ? ` [+${String(metafields)} attributes]` : ''}`;
}

function textOf(product: SandboxProduct): string {
  return `${printable(product.title, 70)}: ${printable(plainTextOf(product.descriptionHtml), 110) || '(no description)'}`;
}
