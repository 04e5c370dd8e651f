import { html } from '../html.js';
import { page, signedOutPage } from '../layout.js';
import type { Visitor } from '../visit.js';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Not understood',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible',
};

/** The page of a failed request. A signed-in visitor keeps the navigation. */
export function problemPage(status: number, message: string, visitor: Visitor | null): string {
  const title = TITLES[status] ?? 'Error';
  if (visitor !== null)
    return page(visitor, {
      title,
      section: null,
      body: html`<h1>${title}</h1>
        <p class="problem">${message}</p>
        <p><a href="/">Overview</a></p>`,
    });
  return signedOutPage(
    title,
    html`<main class="sign-in" id="main">
      <h1>${title}</h1>
      <p class="problem">${message}</p>
      <p><a href="/">Overview</a></p>
    </main>`,
  );
}
