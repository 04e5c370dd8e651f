import type { Role } from '../api/access.js';
import { SCRIPT, STYLES } from './assets.js';
import { html, type Html, type Piece } from './html.js';
import type { Visitor } from './visit.js';

const SEARCH_ALL = 'Search everything';

type Place = readonly [name: string, label: string, path: string];

/** What a merchant uses. */
const SECTIONS = [
  ['overview', 'Overview', '/'],
  ['review', 'Review', '/review'],
  ['products', 'Products', '/products'],
  ['journal', 'Journal', '/journal'],
] as const satisfies readonly Place[];
/** The pages for those who operate the program. */
const OPERATIONS = [
  ['runs', 'Runs', '/runs'],
  ['plans', 'Plans', '/plans'],
  ['bulk', 'Bulk changes', '/bulk'],
  ['deliveries', 'Deliveries', '/deliveries'],
  ['audit', 'Audit', '/audit'],
  ['check', 'Check', '/check'],
  ['settings', 'Settings', '/settings'],
] as const satisfies readonly Place[];
const FOR_ADMINS: ReadonlySet<string> = new Set(['check', 'settings']);

export type Section = (typeof SECTIONS)[number][0] | (typeof OPERATIONS)[number][0];

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
  const isAdmin = visitor.session.role === 'admin';
  const isOperations = OPERATIONS.some(([name]) => name === section);
  return document(
    title,
    html`<a class="skip" href="#main">Skip to content</a>
      <header class="top">
        <p class="brand"><a href="/">store-sync</a></p>
        <button type="button" class="menu" popovertarget="menu">Menu</button>
        <nav id="menu" aria-label="Main" popover>
          <ul>
            ${SECTIONS.map((place) => placeLink(place, section))}
            ${(isAdmin || isOperations) && placeLink(['operations', 'Operations', '/runs'], isOperations ? 'operations' : section)}
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
        ${
          isOperations &&
          html`<nav class="tabs" aria-label="Operations">
            <ul>
              ${OPERATIONS.filter(([name]) => isAdmin || !FOR_ADMINS.has(name)).map((place) => placeLink(place, section))}
            </ul>
          </nav>`
        }
        ${body}
      </main>
      ${keyLegend([...keys, ...COMMON_KEYS])}`,
    parts.refreshSeconds,
    visitor.session.role,
  );
}

function placeLink([name, label, path]: Place, current: string | null): Html {
  return html`<li><a href="${path}" ${name === current && html` aria-current="page"`}>${label}</a></li>`;
}

const COMMON_KEYS = [
  ['?', 'all keys'],
  ['Ctrl K', 'search everything'],
] as const;

/**
 * Single-key shortcuts conflict with some assistive tools, so they can be switched off. The browser remembers the
 * choice.
 */
function keyLegend(keys: readonly (readonly [string, string])[]): Html {
  return html`<footer class="keys" hidden data-keys>
    <button type="button" class="plain" data-keys-open>Keys (?)</button>
    <dialog aria-label="Keys">
      <ul>
        ${keys.map(([key, does]) => html`<li><kbd>${key}</kbd> ${does}</li>`)}
      </ul>
      <form method="dialog" class="actions">
        <button type="button" class="plain" aria-pressed="true" data-keys-switch>Keys are on</button>
        <button>Close</button>
      </form>
    </dialog>
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
        The token is the value of <code>server.adminToken</code> or of one of <code>server.tokens</code>,
        usually in the variable <code>ADMIN_TOKEN</code> or in the file of secrets that
        <code>store-sync init</code> wrote. The demo prints it. If you have none, ask who runs store-sync.
      </p>
    </main>`,
  );
}

/** What a link that signs in opens. The button posts, so that a program that only looks at the link does not use it up. */
export function signInLinkPage(link: string): string {
  return document(
    'Sign in',
    html`<main class="sign-in" id="main">
      <h1>store-sync</h1>
      <form method="post" action="/sign-in">
        <input type="hidden" name="link" value="${link}" />
        <p>This link signs you in once.</p>
        <button class="primary" autofocus>Sign in</button>
      </form>
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
