import { html } from '../html.js';
import { page, signedOutPage } from '../layout.js';
import type { Visitor } from '../session.guard.js';

/** The page of a failed request. A signed-in visitor keeps the navigation. */
export function problemPage(status: number, message: string, visitor: Visitor | null): string {
  const title = `Error ${status}`;
  if (visitor !== null)
    return page(visitor, {
      title,
      section: null,
      body: html`<h1>${status}</h1>
        <p class="problem">${message}</p>
        <p><a href="/">Overview</a></p>`,
    });
  return signedOutPage(
    title,
    html`<main class="sign-in" id="main">
      <h1>${status}</h1>
      <p class="problem">${message}</p>
      <p><a href="/">Overview</a></p>
    </main>`,
  );
}
