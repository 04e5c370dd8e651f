import type { Page } from '../operations/paging.js';
import type { PresentedRun } from '../operations/present-run.js';
import { toneOf } from '../operations/state-tones.js';
import { words } from '../operations/state-words.js';
import { html, type Html, type Piece } from './html.js';

/** A row's state for people. The colour only repeats the word. */
export function badge(state: string, label = words(state)): Html {
  return html`<span class="badge ${toneOf(state)}">${label}</span>`;
}

/** A run's state for people. A cancelled run has the status `failed` without an error: a person wanted it, so it is not red. */
export function stateOfRun({ status, error }: Pick<PresentedRun, 'status' | 'error'>): string {
  return status === 'failed' && error === null ? 'cancelled' : status;
}

/**
 * A time; a dash when there is none. The page has it in UTC. The script shows how long ago it was instead, and the exact time in the
 * reader's zone as the title.
 */
export function moment(at: Date | string | null): Html {
  if (at === null) return html`<span class="quiet">–</span>`;
  const iso = typeof at === 'string' ? at : at.toISOString();
  return html`<time datetime="${iso}" data-moment>${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

/** A time of the day. The script shows it in the reader's zone, with the day where it is another one. */
export function clockTime(at: string): Html {
  return html`<time datetime="${at}" data-clock>${at.slice(11, 16)} UTC</time>`;
}

const ISO_TIME = /(?:\bat )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;
const NEXT_TRY = /(?<=next try )at (?=\d{4}-)/;

/** A sentence from a use case. The times in it are shown as every other time, so that “at” before one is left out; a next try has its hour. */
export function sentence(text: string | null): Html {
  const [before = '', ...next] = (text ?? '').split(NEXT_TRY);
  return html`${withTimes(before, moment)}${next.map((rest) => html`at ${withTimes(rest, clockTime)}`)}`;
}

function withTimes(text: string, shown: (iso: string) => Html): Piece[] {
  return text.split(ISO_TIME).map((part, index) => (index % 2 === 1 ? shown(part) : part));
}

/** A time of a schedule, in the zone of the schedule, and how far away it is. */
export function scheduled(at: Date, timeZone: string): Html {
  const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const text = new Intl.DateTimeFormat('en-GB', { ...parts, timeZone }).format(at);
  return html`<span class="scheduled">${text} <span class="quiet">${timeZone}</span></span>
    <span class="quiet">${moment(at)}</span>`;
}

/** A duration in its two largest units. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function amount(count: number): string {
  return count.toLocaleString('en-GB');
}

/** `one`, or its plural with `s`, after the number. */
export function counted(count: number, one: string): string {
  return `${amount(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** The path of a page with its query. Absent and empty values are omitted. */
export function pathTo(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' || value === 0 ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Characters of an address that a redirect may repeat. Beyond some 16 KB of headers a client refuses the answer. */
export const LONGEST_WANTED = 2_000;

/** The sign-in, which leads to the page that was wanted. */
export function signInPath(wanted: string): string {
  return pathTo('/login', { next: wanted === '/' || wanted.length > LONGEST_WANTED ? '' : wanted });
}

export function storePath(key: string): string {
  return `/stores/${encodeURIComponent(key)}`;
}

export function productPath(externalId: string): string {
  return `/products/${encodeURIComponent(externalId)}`;
}

/** The display name of a product. A store may leave a title empty, and a link without text cannot be clicked. */
export function nameOf(label: string | null | undefined, externalId: string): string {
  return label === null || label === undefined || label.trim() === '' ? externalId : label;
}

/**
 * The position of the page in the list, with links to its neighbours. `to` returns the address of the page at an
 * offset.
 */
export function pager(
  { total, limit, offset }: Omit<Page<unknown>, 'items'>,
  to: (offset: number) => string,
): Html {
  if (total === 0) return html``;
  const lastPage = Math.floor((total - 1) / limit) * limit;
  if (offset > lastPage)
    return html`<nav class="pager" aria-label="Pages">
      <a rel="prev" data-key="[" href="${to(lastPage)}">← To the last page</a>
      <p>
        This page is past the end of the list, which has
        ${total === 1 ? 'one entry' : `${amount(total)} entries`}.
      </p>
    </nav>`;
  const last = Math.min(offset + limit, total);
  const link = (label: string, rel: string, at: number): Html =>
    html`<a rel="${rel}" data-key="${rel === 'next' ? ']' : '['}" href="${to(at)}">${label}</a>`;
  return html`<nav class="pager" aria-label="Pages">
    ${offset > 0 ? link('← Previous', 'prev', Math.max(0, offset - limit)) : html`<span></span>`}
    <p>${amount(Math.min(offset + 1, total))}–${amount(last)} of ${amount(total)}</p>
    ${last < total ? link('Next →', 'next', last) : html`<span></span>`}
  </nav>`;
}

/** Facts, each beside its name. One that is `false` is left out. */
export function factList(
  entries: readonly (readonly [name: Piece, value: Piece] | false)[],
  look = '',
): Html {
  const shown = entries.filter((entry) => entry !== false);
  return html`<dl class="facts ${look}">
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** A form that is one button. */
export function actionForm(
  path: string,
  label: Piece,
  look: 'primary' | 'danger' | '' = '',
  hidden: Readonly<Record<string, string>> = {},
): Html {
  return html`<form method="post" action="${path}" class="inline">
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button class="${look}">${label}</button>
  </form>`;
}

/** A message of a use case or an error as a sentence. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** The beginning of a text, for a list. */
export function excerpt(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}

/** The text of an empty list. */
export function nothing(text: string): Html {
  return html`<p class="empty">${text}</p>`;
}
