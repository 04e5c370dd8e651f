import Table from 'cli-table3';
import { IDENTIFIER_NAMES } from '../../domain/catalog-product.js';
import { counted } from '../../domain/text.js';
import { failureReason } from '../../operations/product-status-text.js';
import type { PresentedRun } from '../../operations/present-run.js';
import type { StoreProductEntity } from '../../persistence/entities/index.js';
import { plainTextOf } from '../../planner/html/plain-text.js';
import { printable } from '../terminal.js';
import type { DemoProduct } from './demo-shop.js';

/**
 * How far a product got: its text is in the store, waits for a person, the catalog generated none, it had no sources, it did not get
 * through the loop, or the demo's store leaves it alone. In the order in which the table shows them when it cannot show all.
 */
const FATES = ['incomplete', 'waiting', 'failed', 'no_sources', 'written', 'left_alone'] as const;
export type DemoFate = (typeof FATES)[number];

/** The result of the demo for one product. */
export interface DemoOutcome {
  readonly before: DemoProduct;
  readonly after: DemoProduct | undefined;
  /** The outcome in words. */
  readonly outcome: string;
  readonly fate: DemoFate;
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
  before: DemoProduct,
  after: DemoProduct | undefined,
  story: ProductStory,
): DemoOutcome {
  return { before, after, ...resultOf(before, story) };
}

/** Lines to print beside the counts of a run: the reason of its failure, and its notes. */
export function remarksOf({ error, notes }: Pick<PresentedRun, 'error' | 'notes'>): string[] {
  return [...(error === null ? [] : [error]), ...notes];
}

/** The result as a text for people, and how far the product got. */
export function resultOf(
  { leftAlone }: Pick<DemoProduct, 'leftAlone'>,
  story: ProductStory,
): { outcome: string; fate: DemoFate } {
  if (leftAlone !== null)
    return { outcome: `not synchronised: the product is ${leftAlone}`, fate: 'left_alone' };
  if (story.failure !== null)
    return { outcome: `the catalog refused the product: ${story.failure}`, fate: 'incomplete' };
  if (story.link === null) return { outcome: 'not in the catalog yet', fate: 'incomplete' };
  const withheld = story.link.withheld.map(
    ({ kind, value }) => `; ${IDENTIFIER_NAMES[kind]} ${value} is not sent: it is shared`,
  );
  const { outcome, fate } = contentOf(story);
  return { outcome: `${outcome}${withheld.join('')}`, fate };
}

function contentOf({ taskState, taskReason, writeBack }: ProductStory): { outcome: string; fate: DemoFate } {
  if (taskState === 'failed')
    return { outcome: `generation failed: ${failureReason(taskReason)}`, fate: 'failed' };
  if (taskState === 'no_urls')
    return { outcome: 'the catalog found no pages about this product', fate: 'no_sources' };
  if (writeBack === null) return { outcome: 'waits for content', fate: 'incomplete' };
  const { state, reason, isHeld } = writeBack;
  const why = reason === null ? '' : `: ${reason}`;
  if (state === 'applied') return { outcome: `written${why}`, fate: 'written' };
  if (state === 'skipped') return { outcome: `the store has this text already${why}`, fate: 'written' };
  // A text that a gate holds back waits for a person, as it should.
  if (state === 'pending_review' && isHeld) return { outcome: `waits for review${why}`, fate: 'waiting' };
  return { outcome: `${state}${why}`, fate: 'incomplete' };
}

const SUMMARY: Readonly<Record<DemoFate, (count: number) => string>> = {
  written: (count) => `${String(count)} written`,
  waiting: (count) => `${String(count)} ${count === 1 ? 'waits' : 'wait'} for review`,
  failed: (count) => `${String(count)} failed in the catalog`,
  no_sources: (count) => `${String(count)} without sources`,
  incomplete: (count) => `${String(count)} not finished`,
  left_alone: (count) => `${String(count)} not synchronised (drafts, archived products, gift cards)`,
};

/** "36 written, 1 waits for review, 1 without sources". */
export function summaryOf(outcomes: readonly Pick<DemoOutcome, 'fate'>[]): string {
  const parts = (['written', 'waiting', 'failed', 'no_sources', 'incomplete', 'left_alone'] as const).flatMap(
    (fate) => {
      const count = outcomes.filter((each) => each.fate === fate).length;
      return count === 0 ? [] : [SUMMARY[fate](count)];
    },
  );
  return parts.join(', ');
}

/** Column widths when there is enough room. */
const WIDTHS = [30, 44, 44, 40];
const NARROWEST = 12;

/** The table is an example; the summary counts everything, and the dashboard shows each product. */
const MOST_ROWS = 5;

/**
 * The before/after table of some products, at most as wide as the terminal: first those that need a look. `columns` is absent in a
 * pipe.
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
  return rest > 0 ? `${table.toString()}\n… and ${counted(rest, 'more product')}` : table.toString();
}

/** Picks one product of each outcome, then more of those that need attention. */
function shownOf(outcomes: readonly DemoOutcome[]): readonly DemoOutcome[] {
  const byFate = FATES.map((fate) => outcomes.filter((outcome) => outcome.fate === fate));
  const firsts = byFate.flatMap((group) => group.slice(0, 1));
  return [...firsts, ...byFate.flatMap((group) => group.slice(1))].slice(0, MOST_ROWS);
}

function widthsFor(columns: number | undefined): number[] {
  const room = (columns ?? Number.POSITIVE_INFINITY) - (WIDTHS.length + 1);
  const wanted = WIDTHS.reduce((sum, width) => sum + width, 0);
  return WIDTHS.map((width) => Math.max(NARROWEST, Math.floor(width * Math.min(1, room / wanted))));
}

function changed(before: DemoProduct, after: DemoProduct): string {
  const same = before.title === after.title && before.descriptionHtml === after.descriptionHtml;
  const metafields = after.values - before.values;
  if (same && metafields === 0) return '(as before)';
  return `${textOf(after)}${metafields > 0 ? ` [+${String(metafields)} attributes]` : ''}`;
}

function textOf(product: DemoProduct): string {
  return `${printable(product.title, 70)}: ${printable(plainTextOf(product.descriptionHtml), 110) || '(no description)'}`;
}

/** How to open the dashboard. `path` is a link that signs in; it is shown on a terminal only, because a pipe may end in a log. */
export function dashboardLines({
  url,
  path,
  adminToken,
}: {
  readonly url: string;
  readonly path: string | null;
  readonly adminToken: string;
}): string[] {
  const byToken = `sign in with the token ${adminToken}. Press Ctrl-C to stop.`;
  if (path === null) return [`The dashboard is at ${url}; ${byToken}`];
  return [
    `Open the dashboard, signed in: ${url}${path}`,
    `The link works once, within ten minutes. Later, ${byToken}`,
  ];
}
