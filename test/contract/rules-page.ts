import { ASSUMPTIONS, type Assumption } from '../../src/catalog/assumptions.js';
import { READING_ROWS } from '../../src/sandbox/catalog/readings.js';
import { RULES, type ContractRule } from './rules.js';

const INTRODUCTION = `# Rules of the catalog service

What store-sync knows about the catalog service, as numbered rules. Comments and tests cite a rule by its id. \`npm run docs\` generates this page from
\`test/contract/rules.ts\`. A rule binds the service, and \`npm run contract\` tests it there, unless it is marked:

- _client_, _both_: the rule binds store-sync's client, or both sides. The specs of \`src/catalog\` test the client. \`npm run contract:coverage\` fails where a rule has no test.
- _open_: the service's interface leaves this open. The rule is what [the sandbox](#the-sandbox) does, and store-sync relies on it only through a [setting](#what-is-not-documented) or not at all.
`;

const MARKS = { service: [], client: ['client'], both: ['both'] } as const;

/** The meaning of a section for store-sync, by its heading. */
const NOTES: Readonly<Record<string, string>> = {
  'POST /products/':
    'One request creates or updates. Because any shared identifier matches, store-sync checks identity before it sends: [decision 0005](decisions/0005-identity.md).',
  Generation:
    'Generation costs credits, so a request with an unknown outcome is not repeated: [decision 0013](decisions/0013-unknown-outcome-is-not-repeated.md).',
  'Background tasks':
    'Every open task is polled, also where webhooks work: [decision 0006](decisions/0006-polling-beside-webhooks.md).',
  '/settings/webhooks/':
    'There is one slot, and it may belong to another system: [decision 0014](decisions/0014-the-webhook-slot.md).',
  Delivery:
    'A delivery is lost after about ten minutes, and a 4xx loses it at once: [decision 0008](decisions/0008-a-4xx-is-final.md).',
  Signature:
    'A retry may carry the timestamp of the first attempt: [decision 0007](decisions/0007-replay-window-of-twenty-minutes.md).',
};

const ASSUMED = `## What is not documented

store-sync has to assume something where the service's interface is open. Every assumption has a default and a setting that changes it
([decision 0017](decisions/0017-assumptions-are-settings.md)). They stand in \`src/catalog/assumptions.ts\`.
`;

const SANDBOX_START = `## The sandbox

\`src/sandbox/catalog/\` is a complete service that follows the catalog API: products with variants, background tasks, CSV uploads,
generation, signed webhook deliveries with the real retry schedule, logins and revocable tokens. It keeps its data in a PostgreSQL
schema of its own. Its content is made by rules from the product's own data and says so.

\`\`\`sh
npm run sandbox -- --database-url postgres://…      # prints the base URL and an API token, once
npm run sandbox -- token issue NAME [--scopes products,tasks,settings]
npm run sandbox -- token list
npm run sandbox -- token revoke ID
SANDBOX_PASSWORD=… npm run sandbox -- user create EMAIL
npm run sandbox:store -- [--kind woocommerce] [--port 4100] [--secret-file FILE]  # a sandbox store, of Shopify by default
npm run contract                                    # its contract suite, against a sandbox of the suite's own
npm run contract -- --url BASE_URL --token TOKEN [--email EMAIL --password PASSWORD]
npm run sandbox -- --reading patchLocale=ignored    # another reading of what the interface leaves open
\`\`\`

Its \`/docs\` describes the API, and how the sandbox decides what the interface leaves open.

### Readings

The interface can be read in several ways, and store-sync must be right under every one. \`--reading NAME=VALUE\`, or
\`startCatalogSandbox({ readings })\` in a test, chooses; the first value is the default.
`;

const SANDBOX_END = `\`defaultLocale\`, \`notifyAgain\` (whether a pair of product and event is announced once for ever, or once for each generation) and \`restampRetries\` are options of their own.
`;

/** docs/catalog-rules.md, before formatting. Each rule has an anchor: its id in lower case. */
export function catalogRulesPage(): string {
  const readings = READING_ROWS.map(
    ({ name, question, values }) => `- \`${name}\`: ${question} ${values}`,
  ).join('\n');
  return [
    INTRODUCTION,
    rulesSections(RULES),
    ASSUMED,
    ASSUMPTIONS.map(assumption).join('\n'),
    SANDBOX_START,
    readings,
    SANDBOX_END,
  ]
    .map((part) => part.trim())
    .join('\n\n');
}

function assumption({ what, default: value, setting }: Assumption): string {
  const changed = setting.startsWith('workspaces.') ? `\`${setting}\`` : setting;
  return `- ${what}: ${value} (${changed})`;
}

function rulesSections(rules: readonly ContractRule[]): string {
  return [...Map.groupBy(rules, ({ section }) => section)]
    .map(([heading, members]) => {
      const note = NOTES[heading];
      const rows = members.map(({ id, rule, side, decided }) => {
        const marks = [...MARKS[side], ...(decided === true ? ['open'] : [])];
        const shown = marks.length === 0 ? '' : ` _(${marks.join(', ')})_`;
        return `- <a id="${id.toLowerCase()}"></a>${id}: ${text(rule)}${shown}`;
      });
      return [`## ${heading}`, ...(note === undefined ? [] : [note]), rows.join('\n')].join('\n\n');
    })
    .join('\n\n');
}

function text(rule: string): string {
  return rule.replaceAll('__proto__', '`__proto__`').replaceAll('<', '&lt;');
}
