import { html } from '../html.js';
import { signedOutPage } from '../layout.js';

/** The page of a failed request, for visitors with and without a session. */
export function problemPage(status: number, message: string): string {
  return signedOutPage(
    `Error ${status}`,
    html`<main class="sign-in" id="main">
      <h1>${status}</h1>
      <p class="problem">${message}</p>
      <p><a href="/">Overview</a></p>
    </main>`,
  );
}
