import { FIELD_OUTCOMES } from '../../domain/write-back-journal.js';
import { words } from '../elements.js';
import { html, type Html } from '../html.js';
import { messages } from '../messages.js';
import { withoutAbsent, type PageFilter } from '../write-back-query.js';

/** The choices of the filter that a list offers. */
export interface FilterChoices {
  readonly path: string;
  readonly stores: readonly string[];
  readonly given: PageFilter;
  /** Filters about what happened: times, outcomes and people. Only the journal has them. */
  readonly isJournal: boolean;
}

/** The filter of a list, as a form that works without scripts. The state stays as its tab says. */
export function filterForm({ path, stores, given, isJournal }: FilterChoices): Html {
  const isUsed = Object.keys(withoutAbsent({ ...given, state: undefined })).length > 0;
  return html`<details class="filter" ${isUsed && html` open`}>
    <summary>Filter</summary>
    <form method="get" action="${path}" class="fields">
      ${given.state !== undefined && html`<input type="hidden" name="state" value="${given.state}" />`}
      ${choice('Store', 'store', stores, given.store)}
      ${input('Field', 'field', given.field, 'text', 'title')}
      ${
        isJournal &&
        html`${choice('Outcome', 'outcome', FIELD_OUTCOMES, given.outcome)}
        ${input('Person', 'actor', given.actor)} ${input('Run', 'run', given.run)}
        ${input('From', 'from', given.from, 'date')} ${input('To', 'to', given.to, 'date')}`
      }
      <div class="actions">
        <button>Apply filter</button>
        ${isUsed && html`<a href="${path}">${messages.noFilter}</a>`}
      </div>
    </form>
  </details>`;
}

function choice(label: string, name: string, values: readonly string[], chosen: string | undefined): Html {
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">any</option>
      ${values.map((value) => {
        const selected = value === chosen && html` selected`;
        return html`<option value="${value}" ${selected}>${words(value)}</option>`;
      })}
    </select>
  </label>`;
}

function input(label: string, name: string, value: string | undefined, type = 'text', example = ''): Html {
  return html`<label
    >${label} <input type="${type}" name="${name}" value="${value ?? ''}" placeholder="${example}"
  /></label>`;
}

/** A field of a list's filter: a text, a day, or one of several options. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly type?: 'search' | 'date';
  readonly options?: readonly string[];
}

/** True when no part of the filter is given. */
export function isEmpty(given: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(withoutAbsent(given)).length === 0;
}

/** The filter of a list in one row. `kept`: parts of the filter that other elements set. */
export function simpleFilter(
  path: string,
  kept: Readonly<Record<string, string | undefined>>,
  fields: readonly FilterField[],
): Html {
  const isUsed = fields.some(({ value }) => value !== undefined);
  return html`<form
    class="fields filters"
    role="search"
    aria-label="${messages.filterLabel}"
    action="${path}"
  >
    ${Object.entries(withoutAbsent(kept)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${fields.map(({ name, label, value, type, options }) =>
      options === undefined
        ? html`<label
            >${label}
            <input
              type="${type ?? 'search'}"
              name="${name}"
              value="${value ?? ''}"
              ${type === 'search' && html` data-key="/"`}
          /></label>`
        : choice(label, name, options, value),
    )}
    <div class="actions">
      <button>Filter</button>
      ${isUsed && html`<a href="${path}">${messages.noFilter}</a>`}
    </div>
  </form>`;
}
