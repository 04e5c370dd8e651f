import type { Role } from '../api/access.js';
import { SCRIPT, STYLES } from './assets.js';
import { html, type Html, type Piece } from './html.js';
import type { Visitor } from './session.guard.js';

const SEARCH_ALL = 'Search everything';

export type Section =
  'settings' | 'overview' | 'runs' | 'products' | 'review' | 'journal' | 'deliveries' | 'audit';

const SECTIONS: readonly (readonly [Section, string, string])[] = [
  ['overview', 'Overview', '/'],
  ['review', 'Review', '/review'],
  ['journal', 'Journal', '/journal'],
  ['runs', 'Runs', '/runs'],
  ['products', 'Products', '/products'],
  ['deliveries', 'Deliveries', '/deliveries'],
  ['audit', 'Audit', '/audit'],
  ['settings', 'Settings', '/settings'],
];

export interface PageParts {
  readonly title: string;
  readonly section: Section | null;
  readonly body: Piece;
  /** The text that was searched for, on the page of its results. */
  readonly search?: string;
  /** The reload interval of a changing page in a browser without scripts. */
  readonly refreshSeconds?: number;
  /** The page shows the visitor's notice itself. */
  readonly showsNotice?: boolean;
  /** Keyboard shortcuts of the page, besides the common ones. */
  readonly keys?: readonly (readonly [string, string])[];
}

/** A whole page for a signed-in visitor. */
export function page(visitor: Visitor, parts: PageParts): string {
  const { title, section, body, keys = [] } = parts;
  return document(
    title,
    html`<a class="skip" href="#main">Skip to content</a>
      <header class="top">
        <p class="brand"><a href="/">store-sync</a></p>
        <button type="button" class="menu" popovertarget="menu">Menu</button>
        <nav id="menu" aria-label="Main" popover>
          <ul>
            ${SECTIONS.filter(([name]) => name !== 'settings' || visitor.session.role === 'admin').map(
              ([name, label, path]) => {
                const current = name === section && html` aria-current="page"`;
                return html`<li><a href="${path}" ${current}>${label}</a></li>`;
              },
            )}
          </ul>
        </nav>
        <form role="search" aria-label="${SEARCH_ALL}" action="/search" class="find">
          <input
            type="search"
            name="q"
            value="${parts.search ?? ''}"
            aria-label="${SEARCH_ALL}"
            placeholder="Search (Ctrl K)"
            aria-keyshortcuts="Control+K Meta+K"
            data-search
          />
        </form>
        <form method="post" action="/logout">
          <span class="who">${visitor.session.name}</span>
          <button class="plain">Sign out</button>
        </form>
      </header>
      <main id="main" tabindex="-1">
        ${
          visitor.notice !== null &&
          parts.showsNotice !== true &&
          html`<p class="notice" role="status">${visitor.notice}</p>`
        }
        ${body}
      </main>
      ${keys.length > 0 && keyLegend(keys)}`,
    parts.refreshSeconds,
    visitor.session.role,
  );
}

/**
 * Single-key shortcuts conflict with some assistive tools, so they can be switched off. The browser remembers the
 * choice.
 */
function keyLegend(keys: readonly (readonly [string, string])[]): Html {
  return html`<footer class="keys" aria-label="Keys" hidden data-keys>
    <ul>
      ${keys.map(([key, does]) => html`<li><kbd>${key}</kbd> ${does}</li>`)}
    </ul>
    <button type="button" class="plain" aria-pressed="true" data-keys-switch>Keys are on</button>
  </footer>`;
}

/** The page for a visitor who is not signed in. */
export function signInPage(options: { readonly next: string; readonly problem: string | null }): string {
  const { next, problem } = options;
  const described = problem !== null && html` aria-invalid="true" aria-describedby="problem"`;
  return document(
    'Sign in',
    html`<main class="sign-in" id="main">
      <h1>store-sync</h1>
      <form method="post" action="/login">
        <input type="hidden" name="next" value="${next}" />
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          ${described}
        />
        ${problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
        <button class="primary">Sign in</button>
      </form>
      <p class="quiet">
        The token is the value of the setting <code>server.adminToken</code> or one of the tokens in
        <code>server.tokens</code>.
      </p>
    </main>`,
  );
}

/** A page without navigation. */
export function signedOutPage(title: string, body: Html): string {
  return document(title, body);
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6b5d'/%3E%3Cpath d='M4 6h7l-2-2M12 10H5l2 2' stroke='white' stroke-width='1.6' fill='none'/%3E%3C/svg%3E";

function document(title: string, body: Html, refreshSeconds?: number, role?: Role): string {
  const refresh =
    refreshSeconds !== undefined &&
    html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · store-sync</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${STYLES.path}" />
        <script src="${SCRIPT.path}" defer></script>
        ${refresh}
      </head>
      <body ${role !== undefined && html` data-role="${role}"`}>
        ${body}
      </body>
    </html>`.text;
}
