import { TASK_FIELDS, TOKENS } from '../../src/catalog/assumptions.js';
import { RULES, type ContractRule } from './rules.js';

const INTRODUCTION = `# Rules of the catalog service

What store-sync knows about the catalog service. \`npm run docs\` generates this page from \`test/contract/rules.ts\`, which also has what
only [the sandbox](#the-sandbox) decides. [\`npm run contract\`](testing.md#suites-that-take-longer) tests the rules. One that is marked
_client_ binds store-sync's own client.
`;

/** What a section means for store-sync, by its heading. */
const NOTES: Readonly<Record<string, string>> = {
  'POST /products/':
    'store-sync checks identity before it sends: [decision 0005](decisions/0005-identity.md).',
  Generation:
    'A request with an unknown outcome is not repeated: [decision 0013](decisions/0013-unknown-outcome-is-not-repeated.md).',
  'Background tasks':
    'Every open task is polled: [decision 0006](decisions/0006-polling-beside-webhooks.md).',
  Delivery: 'How store-sync answers: [decision 0008](decisions/0008-a-4xx-is-final.md).',
};

const either = (names: readonly string[]): string => names.join(' | ');

const ASSUMED = `## What is not documented

Here store-sync is right under every reading of the interface, or has a setting in
[\`workspaces.<name>\`](configuration.md#a-workspace-of-the-catalog-service).

- Deleting a product: \`assumptions.deleteProduct\`
- Listing variants: GET; the answer may be a page or a bare array
- CSV upload: \`assumptions.uploadCsv\`
- Generation: an answer without task ids is no failure; \`generation.request\`
- Fields of a background task; the first that is there counts: id: ${either(TASK_FIELDS.id)}; status: ${either(TASK_FIELDS.status)}; reason: ${either(TASK_FIELDS.reason)}
- Task statuses that mean success: \`tasks.success\`
- Task statuses that mean failure: \`tasks.failure\`
- Answer to a refresh: access token: ${either(TOKENS.accessFields)}; refresh token: ${either(TOKENS.refreshFields)}; without a new refresh token the old one stays
- Whether a refresh takes the bearer header: it is sent; where the call is refused, the next one is a login
- Expiry of tokens: read from the token where possible, otherwise as AUTH-07 says; a token that is refused earlier is renewed
- Whether PUT and PATCH take locale: with a locale, texts go by POST
- Page size of lists: whole lists ask for page_size=250
- Rate limits: \`requestsPerSecond\`
- Permissions of an API token beside the product endpoints: \`auth\`
- Numeric success codes: any 2xx
- GET /settings/webhooks/ when nothing is configured: 404, an empty body, {} and a null url all mean none
- Whether GET /settings/webhooks/ shows the secret, a mask of it, or nothing: what it shows right after our write counts as ours
- Whether an empty list of actions means none or all: each write names all three, and an empty list is replaced
- Language of the product in a delivery: with a locale, the product is read in it before anything is written; \`locale\`
- GET for a product without a text in the locale: the text of the default locale, an empty text and 404 all mean none
- Whether "not notified twice" means forever or for each task: open tasks are polled, and the newest generated products are looked through; \`tasks.pollSeconds\`
- Whether a PATCH merges open_attributes and metadata or replaces them: members of other systems are read and sent again
- Whether POST matches variants: POST carries identifiers only where a full listing, variants included, proved them free; otherwise PATCH sends them
- Which identifier decides when POST matches several products: without that proof, POST carries the external_id alone
- Whether PATCH merges or replaces the set of variants: variants that stay are named, variants that left give up their identifiers first
- Whether the listing shows every product of the workspace: a product that it leaves out is looked up by its id before it counts as gone
- Which value clears an identifier: null; an empty string where the answer shows that null did not clear it
`;

const SANDBOX = `## The sandbox

\`src/sandbox/catalog/\` is a complete service that follows the catalog API, with a PostgreSQL schema of its own. It makes content by rules
from the product's own data. It shares only the error class with store-sync, so that a mistake cannot hide on both sides.

\`npm run sandbox\` starts it and prints the base URL and, once, an API token; \`--help\` lists its options. \`npm run sandbox:store -- [--kind woocommerce] [--port 4100] [--secret-file FILE]\` starts a sandbox store.

Tests run under every reading: \`--reading NAME=VALUE\`, or \`startCatalogSandbox({ readings })\` in a test. An unknown name lists the names
and what they mean.
`;

/** docs/catalog-rules.md, before formatting. */
export function catalogRulesPage(): string {
  return [INTRODUCTION, rulesSections(RULES.filter(({ decided }) => decided !== true)), ASSUMED, SANDBOX]
    .map((part) => part.trim())
    .join('\n\n');
}

function rulesSections(rules: readonly ContractRule[]): string {
  return [...Map.groupBy(rules, ({ section }) => section)]
    .map(([heading, members]) => {
      const note = NOTES[heading];
      const rows = [...Map.groupBy(members, ruleText)].map(
        ([text, same]) => `- ${same.map(({ id }) => id).join(', ')}: ${text}`,
      );
      return [`## ${heading}`, ...(note === undefined ? [] : [note]), rows.join('\n')].join('\n\n');
    })
    .join('\n\n');
}

function ruleText({ rule, side }: ContractRule): string {
  return `${rule.replaceAll('<', '&lt;')}${side === 'client' ? ' _(client)_' : ''}`;
}
