import type { Page } from '../../operations/paging.js';
import { words } from '../../operations/state-words.js';
import { amount, nothing, pager, pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import { page, type PageParts, type Section } from '../layout.js';
import type { Visitor } from '../visit.js';
import { withoutAbsent } from '../write-back-query.js';

export const BACK_TO_LIST = 'back to the list';
export const ALL_ON_PAGE = 'all on this page';
export const NO_FILTER = 'Remove the filter';

/** The filter of a list as the address has it. */
export type GivenFilter = Readonly<Record<string, string | undefined>>;

/** A field of a list's filter: a text, a day, or one of several options. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** A text with the key `/` by default. Options make it a choice. */
  readonly type?: 'search' | 'text' | 'date';
  readonly options?: readonly string[];
  /** The label of no choice, without which it is “any”. */
  readonly none?: string;
  readonly example?: string;
  /** Folded, because it is seldom needed. */
  readonly isExtra?: boolean;
}

/** Labels of the tabs for screen readers. */
const TAB_LABELS = { state: 'States', outcome: 'Outcomes', kind: 'Kinds' } as const;

/** The choice among the states of a list. It is a part of the filter. */
export interface Tabs {
  readonly name: keyof typeof TAB_LABELS;
  readonly values: readonly string[];
  /** Rows of each state that match the rest of the filter. */
  readonly counts: Readonly<Record<string, number>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The filter of a page's list, and what stands around it. */
export interface ListFrame {
  readonly given: GivenFilter;
  /** Rows of each state that match the rest of the filter. */
  readonly counts: Readonly<Record<string, number>>;
  readonly stores: readonly string[];
}

export interface ListView<Row> {
  readonly path: string;
  readonly given: GivenFilter;
  readonly tabs?: Tabs;
  readonly fields: readonly FilterField[];
  readonly page: Page<Row>;
  /** Heads of the columns. An empty one is that of a checkbox or of buttons. */
  readonly heads: readonly string[];
  readonly row: (row: Row, index: number) => Html;
  /** The text of an empty list, without a filter and with one. */
  readonly none: { readonly yet: string; readonly matching: string };
  /** Links and buttons between the filter and the rows. */
  readonly actions?: Html | undefined;
  /** The form around the rows, where they are chosen. */
  readonly around?: (table: Html) => Html;
}

/** A list as every page shows it: tabs with counts, a filter, column heads, rows and pages. It works without scripts. */
export function list<Row>(view: ListView<Row>): Html {
  const { path, given, tabs, fields, page, none } = view;
  const table = rowTable(view.heads, page.items, view.row);
  return html`${tabs !== undefined && tabList(path, tabs, given)}
  ${fields.length > 0 && filterForm(path, given, fields, tabs?.name)} ${view.actions}
  ${page.total === 0 && nothing(isEmpty(given) ? none.yet : none.matching)}
  ${page.items.length > 0 && (view.around?.(table) ?? table)}
  ${pager(page, (offset) => pathTo(path, { ...given, offset }))}`;
}

/** A page that is one list: its title, what stands before the list, and the list at the section's own address. */
export interface ListPage<Row> extends Omit<ListView<Row>, 'path'> {
  readonly title: string;
  readonly section: Section;
  /** Before the title. */
  readonly crumbs?: Html;
  /** Beside the title. */
  readonly beside?: Html;
  /** Between the title and the list. */
  readonly lead?: Html;
  readonly keys?: PageParts['keys'];
  /** The page shows the visitor's notice itself. */
  readonly showsNotice?: boolean;
}

export function listPage<Row>(visitor: Visitor, view: ListPage<Row>): string {
  const { title, section, crumbs, beside, lead, keys = LIST_KEYS, showsNotice = false } = view;
  const heading = html`<h1>${title}</h1>`;
  return page(visitor, {
    title,
    section,
    keys,
    showsNotice,
    body: html`${crumbs}
    ${beside === undefined ? heading : html`<div class="head">${heading} ${beside}</div>`} ${lead}
    ${list({ ...view, path: `/${section}` })}`,
  });
}

/** True when no part of the filter is given. */
function isEmpty(given: GivenFilter): boolean {
  return Object.keys(withoutAbsent(given)).length === 0;
}

/** Rows below column heads. On a phone each row becomes a block. */
export function rowTable<Row>(
  heads: readonly string[],
  rows: readonly Row[],
  row: (row: Row, index: number) => Html,
  look = 'list',
): Html {
  return html`<table class="${look}">
    <thead>
      <tr>
        ${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`))}
      </tr>
    </thead>
    <tbody>
      ${rows.map(row)}
    </tbody>
  </table>`;
}

function tabList(path: string, { name, values, counts, labels }: Tabs, given: GivenFilter): Html {
  const chosen = given[name];
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const tab = (value: string | undefined): Html => {
    const current = value === chosen && html` aria-current="true"`;
    const label = value === undefined ? 'all' : (labels?.[value] ?? words(value));
    return html`<li>
      <a href="${pathTo(path, { ...given, [name]: value })}" ${current}
        >${label} <span class="count">${amount(value === undefined ? all : (counts[value] ?? 0))}</span></a
      >
    </li>`;
  };
  return html`<nav class="tabs" aria-label="${TAB_LABELS[name]}">
    <ul>
      ${[undefined, ...values].map(tab)}
    </ul>
  </nav>`;
}

/** The filter as a form. The chosen tab stays. */
function filterForm(path: string, given: GivenFilter, fields: readonly FilterField[], tab = 'state'): Html {
  const isUsed = fields.some(({ name }) => given[name] !== undefined);
  const kept = given[tab];
  return html`<form class="filters" role="search" aria-label="Filter" action="${path}">
    ${kept !== undefined && html`<input type="hidden" name="${tab}" value="${kept}" />`}
    <div class="fields">
      ${fields.filter(({ isExtra }) => isExtra !== true).map((field) => fieldOf(field, given[field.name]))}
      <div class="actions">
        <button>Filter</button>
        ${isUsed && html`<a href="${pathTo(path, { [tab]: kept })}">${NO_FILTER}</a>`}
      </div>
    </div>
    ${extraFields(fields, given)}
  </form>`;
}

function extraFields(fields: readonly FilterField[], given: GivenFilter): Html {
  const extra = fields.filter(({ isExtra }) => isExtra === true);
  if (extra.length === 0) return html``;
  const isUsed = extra.some(({ name }) => given[name] !== undefined);
  return html`<details class="extra" ${isUsed && html` open`}>
    <summary>More filters</summary>
    <div class="fields">${extra.map((field) => fieldOf(field, given[field.name]))}</div>
  </details>`;
}

function fieldOf(
  { name, label, type = 'search', options, none = 'any', example = '' }: FilterField,
  value = '',
): Html {
  if (options !== undefined) return choice({ label, name, none, chosen: value }, options);
  return html`<label
    >${label}
    <input
      type="${type}"
      name="${name}"
      value="${value}"
      placeholder="${example}"
      ${type === 'search' && html` data-key="/"`}
  /></label>`;
}

interface Choice {
  readonly label: string;
  readonly name: string;
  readonly none: string;
  readonly chosen: string;
}

function choice({ label, name, none, chosen }: Choice, values: readonly string[]): Html {
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">${none}</option>
      ${values.map((value) => {
        const selected = value === chosen && html` selected`;
        return html`<option value="${value}" ${selected}>${words(value)}</option>`;
      })}
    </select>
  </label>`;
}

/** The field of a filter by store, where there are several. */
export function storeField(stores: readonly string[]): FilterField[] {
  return stores.length > 1 ? [{ name: 'store', label: 'Store', options: stores }] : [];
}

/** The fields of a filter by store and time, which most lists have. */
export function storeAndDays(stores: readonly string[]): FilterField[] {
  return [
    ...storeField(stores),
    { name: 'from', label: 'From', type: 'date' },
    { name: 'to', label: 'To', type: 'date' },
  ];
}

/** The keyboard shortcuts of a list. */
export const LIST_KEYS = [
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['/', 'search'],
] as const;
