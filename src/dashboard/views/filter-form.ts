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
