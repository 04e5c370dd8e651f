import type { PresentedRun } from '../../operations/present-run.js';
import { amount, counted, stateOfRun } from '../elements.js';
import { html, type Html } from '../html.js';

const WIDTH = 14;
const GAP = 4;
const HEIGHT = 56;
const LEAST = 2;

const PARTS = ['failed', 'created', 'updated', 'unchanged'] as const;

/**
 * The last runs as bars, oldest first, with the number of products by outcome. Sizes are attributes, because the
 * policy forbids inline styles.
 */
export function runChart(store: string, newestFirst: readonly PresentedRun[]): Html {
  const runs = [...newestFirst].reverse();
  const most = Math.max(1, ...runs.map((run) => run.counts.seen));
  const width = runs.length * (WIDTH + GAP);
  return html`<svg
    class="chart"
    role="img"
    aria-label="${summary(store, runs)}"
    viewBox="0 0 ${width} ${HEIGHT}"
    width="${width}"
    height="${HEIGHT}"
  >
    ${runs.map((run, index) => bar(run, index * (WIDTH + GAP), most))}
  </svg>`;
}

/** A run without products gets a mark in the colour of its state, so that it is visible. */
function bar(run: PresentedRun, x: number, most: number): Html {
  const { counts } = run;
  const met = PARTS.filter((part) => counts[part] > 0);
  let y = HEIGHT;
  const pieces = met.map((part) => {
    const height = Math.max(LEAST, Math.round((counts[part] / most) * (HEIGHT - PARTS.length * LEAST)));
    y -= height;
    return html`<rect class="${part}" x="${x}" y="${y}" width="${WIDTH}" height="${height}"></rect>`;
  });
  const mark = html`<rect
    class="run-${stateOfRun(run)}"
    x="${x}"
    y="${HEIGHT - LEAST}"
    width="${WIDTH}"
    height="${LEAST}"
  ></rect>`;
  return html`<g>
    <title>${describe(run)}</title>
    ${pieces.length > 0 ? pieces : mark}
  </g>`;
}

function summary(store: string, runs: readonly PresentedRun[]): string {
  const failed = runs.filter((run) => stateOfRun(run) === 'failed').length;
  return `The last ${counted(runs.length, 'run')} of ${store}, oldest first; ${failed === 0 ? 'none failed' : `${failed} failed`}`;
}

function describe(run: PresentedRun): string {
  const { kind, startedAt, counts } = run;
  const parts = PARTS.filter((part) => counts[part] > 0).map((part) => `${amount(counts[part])} ${part}`);
  const when = startedAt === null ? 'not started' : startedAt.slice(0, 16).replace('T', ' ');
  return `${when}, ${kind}, ${stateOfRun(run)}: ${parts.join(', ') || 'no products'}`;
}
