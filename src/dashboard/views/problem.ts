import { html } from '../html.js';
import { signedOutPage } from '../layout.js';

/** A request that did not end as meant, for someone who may or may not be signed in. */
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
