import { html } from '../html.js';
import { nothing } from '../elements.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import type { ListedSetting } from '../../config/index.js';
import { rowTable } from './list.js';
import { RUN_CHECK } from './reports.js';

export interface SettingsView {
  readonly settings: readonly ListedSetting[];
  readonly search: string | undefined;
  /** Built-in defaults are left out, unless this asks for them. */
  readonly all: boolean;
  /** Settings that match, beyond those that are shown. */
  readonly more: number;
}

/** The settings of this process, secrets masked, each with the place that gave its value. */
export function settingsPage(visitor: Visitor, { settings, search, all, more }: SettingsView): string {
  return page(visitor, {
    title: 'Settings',
    section: 'settings',
    keys: [['/', 'search']],
    body: html`<div class="head">
        <h1>Settings</h1>
        <a class="button" href="/check">${RUN_CHECK}</a>
      </div>
      <p>The settings that this process uses now, and the place that gave each value. Secrets are masked.</p>
      <form class="filters" role="search" aria-label="Settings" action="/settings">
        <div class="fields">
          <label
            >Key, value or file <input name="search" type="search" value="${search ?? ''}" data-key="/"
          /></label>
          <div class="actions">
            <label
              ><input type="checkbox" name="all" value="1" ${all && html` checked`} /> also built-in
              defaults</label
            >
            <button>Filter</button>
          </div>
        </div>
      </form>
      ${
        settings.length === 0
          ? nothing('No settings match this filter.')
          : rowTable(
              ['Setting', 'Value', 'From'],
              settings,
              ({ key, value, origin }) =>
                html`<tr>
                  <th scope="row"><code>${key}</code></th>
                  <td data-label="Value"><code>${value}</code></td>
                  <td data-label="From" class="quiet">${origin}</td>
                </tr>`,
            )
      }
      ${more > 0 && html`<p class="quiet">${more} more match. Narrow the search.</p>`}`,
  });
}
