import { html } from '../html.js';
import { nothing } from '../elements.js';
import { page } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';
import type { ListedSetting } from '../../config/index.js';

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
        <a class="button" href="/check">${messages.runCheck}</a>
      </div>
      <p>${messages.settingsMeaning}</p>
      <form class="filters" role="search" aria-label="Settings" action="/settings">
        <div class="fields">
          <label
            >${messages.settingSearch}
            <input name="search" type="search" value="${search ?? ''}" data-key="/"
          /></label>
          <div class="actions">
            <label
              ><input type="checkbox" name="all" value="1" ${all && html` checked`} />
              ${messages.allSettings}</label
            >
            <button>Filter</button>
          </div>
        </div>
      </form>
      ${
        settings.length === 0
          ? nothing(messages.noSettings)
          : html`<table class="list">
              <thead>
                <tr>
                  <th scope="col">Setting</th>
                  <th scope="col">Value</th>
                  <th scope="col">From</th>
                </tr>
              </thead>
              <tbody>
                ${settings.map(
                  ({ key, value, origin }) =>
                    html`<tr>
                      <th scope="row"><code>${key}</code></th>
                      <td data-label="Value"><code>${value}</code></td>
                      <td data-label="From" class="quiet">${origin}</td>
                    </tr>`,
                )}
              </tbody>
            </table>`
      }
      ${more > 0 && html`<p class="quiet">${messages.moreSettings(more)}</p>`}`,
  });
}
