import type { CoverageDay, Coverage } from '../../operations/overview.js';
import type { CreditOutlook } from '../../operations/credits.js';
import { amount } from '../elements.js';
import { html, type Html } from '../html.js';
import { rowTable } from './list.js';

/*
 * Charts are drawn on the server, so that they need no script. Sizes are attributes, because the policy forbids inline styles. Each
 * has a title, or stands beside a table with the same numbers.
 */

const BAR = { width: 120, height: 8 } as const;
const LINE = { width: 120, height: 28, days: 30 } as const;
const COLUMNS = { width: 300, height: 56, gap: 2 } as const;

/** The share of products with content in whole percent; null without products. Never 100 while one is missing. */
export function sharePercent({ products, withContent }: Omit<Coverage, 'live'>): number | null {
  return products === 0 ? null : Math.floor((withContent / products) * 100);
}

/** The shares of products with generated content and with such content in the shop. */
export function coverageBar(coverage: Coverage): Html {
  const share = (count: number): string =>
    (coverage.products === 0 ? 0 : (count / coverage.products) * BAR.width).toFixed(1);
  return html`<svg
    class="chart bar"
    role="img"
    aria-label="${amount(coverage.withContent)} of ${amount(coverage.products)} products have generated content, ${amount(coverage.live)} of them live"
    viewBox="0 0 ${BAR.width} ${BAR.height}"
    width="${BAR.width}"
    height="${BAR.height}"
  >
    <rect class="unchanged" width="${BAR.width}" height="${BAR.height}" rx="4"></rect>
    ${coverage.withContent > 0 && html`<rect class="updated" width="${share(coverage.withContent)}" height="${BAR.height}" rx="4"></rect>`}
    ${coverage.live > 0 && html`<rect class="created" width="${share(coverage.live)}" height="${BAR.height}" rx="4"></rect>`}
  </svg>`;
}

/** The share of products with content over thirty days, today at the right end. */
export function coverageLine(days: readonly CoverageDay[]): Html {
  const [first] = days;
  const today = days.at(-1);
  if (first === undefined || today === undefined || days.length < 2) return html``;
  const end = Date.parse(today.day);
  const points = days.map((each): [number, number] => {
    const age = (end - Date.parse(each.day)) / 86_400_000;
    const share = each.products === 0 ? 0 : each.withContent / each.products;
    return [
      LINE.width - 2 - (age / (LINE.days - 1)) * (LINE.width - 4),
      LINE.height - 2 - share * (LINE.height - 4),
    ];
  });
  const path = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const label = `The share of products with content: ${sharePercent(first) ?? 0} % on ${first.day}, ${sharePercent(today) ?? 0} % today`;
  return html`<svg
    class="chart line"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${LINE.width} ${LINE.height}"
    width="${LINE.width}"
    height="${LINE.height}"
  >
    <polyline points="${path}"></polyline>
  </svg>`;
}

/** The numbers of the line as a table. */
export function coverageTable(days: readonly CoverageDay[]): Html {
  return html`<details>
    <summary>Coverage by day</summary>
    ${rowTable(
      ['Day', 'Products', 'With content', 'Share'],
      days.toReversed(),
      (each) =>
        html`<tr>
          <th scope="row">${each.day}</th>
          <td>${amount(each.products)}</td>
          <td>${amount(each.withContent)}</td>
          <td>${sharePercent(each) ?? 0} %</td>
        </tr>`,
      'numbers',
    )}
  </details>`;
}

/** Credits of the last thirty days as columns, with their numbers as a table. */
export function creditChart(workspace: string, { days, perDay }: CreditOutlook): Html {
  if (perDay === null) return html``;
  const most = Math.max(...days.map(({ credits }) => credits), 1e-9);
  const step = COLUMNS.width / days.length;
  const total = days.reduce((sum, { credits }) => sum + credits, 0);
  return html`<svg
      class="chart"
      role="img"
      aria-label="Credits of ${workspace} by day: ${creditAmount(total)} in thirty days"
      viewBox="0 0 ${COLUMNS.width} ${COLUMNS.height}"
      width="${COLUMNS.width}"
      height="${COLUMNS.height}"
    >
      ${days.map(({ day, credits }, index) => {
        const height = credits === 0 ? 0 : Math.max(2, (credits / most) * COLUMNS.height);
        return html`<rect
          class="updated"
          x="${(index * step).toFixed(1)}"
          y="${(COLUMNS.height - height).toFixed(1)}"
          width="${(step - COLUMNS.gap).toFixed(1)}"
          height="${height.toFixed(1)}"
        >
          <title>${day}: ${creditAmount(credits)}</title>
        </rect>`;
      })}
    </svg>
    <details>
      <summary>Credits by day</summary>
      ${rowTable(
        ['Day', 'Credits'],
        days.filter(({ credits }) => credits > 0).toReversed(),
        ({ day, credits }) =>
          html`<tr>
            <th scope="row">${day}</th>
            <td>${creditAmount(credits)}</td>
          </tr>`,
        'numbers',
      )}
    </details>`;
}

/** Credits with at most one digit after the point. */
export function creditAmount(credits: number): string {
  return credits.toLocaleString('en-GB', { maximumFractionDigits: 1 });
}
