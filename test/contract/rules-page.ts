import { ASSUMPTIONS, type Assumption } from '../../src/catalog/assumptions.js';
import { READINGS } from '../../src/sandbox/catalog/readings.js';
import { RULES, type ContractRule } from './rules.js';

const INTRODUCTION = `# Rules of the catalog service

What store-sync knows about the catalog service. Comments and tests cite a rule by its id. \`npm run docs\` generates this page from
\`test/contract/rules.ts\`, which also has what only [the sandbox](#the-sandbox) decides. [\`npm run contract\`](testing.md#suites-that-take-longer)
tests the rules. One that is marked _client_ binds store-sync's own client.
`;

/** The meaning of a section for store-sync, by its heading. */
const NOTES: Readonly<Record<string, string>> = {
  'POST /products/':
    'Any shared identifier matches, so store-sync checks identity before it sends: [decision 0005](decisions/0005-identity.md).',
  Generation:
    'Generation costs credits, so a request with an unknown outcome is not repeated: [decision 0013](decisions/0013-unknown-outcome-is-not-repeated.md).',
  'Background tasks':
    'Every open task is polled, also where webhooks work: [decision 0006](decisions/0006-polling-beside-webhooks.md).',
  Delivery:
    'A 4xx loses a delivery at once, and ten minutes of failures lose it too: [decision 0008](decisions/0008-a-4xx-is-final.md).',
};

const ASSUMED = `## What is not documented

Where the service's interface is open, store-sync is right under every reading, or has a setting in \`workspaces.<name>\`, here in brackets.
The defaults are in \`src/catalog/assumptions.ts\`.
`;

const SANDBOX = `## The sandbox

\`src/sandbox/catalog/\` is a complete service that follows the catalog API, with its data in a PostgreSQL schema of its own. Its content is
made by rules from the product's own data. It shares only the error class with the product, so that a mistake cannot hide on both sides.

\`npm run sandbox\` starts it and prints the base URL and an API token, once; \`npm run sandbox -- --help\` lists its options, and the commands
for tokens and users. \`npm run sandbox:store -- [--kind woocommerce] [--port 4100] [--secret-file FILE]\` starts a sandbox store.

Tests run under every reading: \`--reading NAME=VALUE\`, or \`startCatalogSandbox({ readings })\` in a test. An unknown name lists their meaning.
The names are ${Object.keys(READINGS.shape)
  .map((name) => `\`${name}\``)
  .join(', ')}.
`;

/** docs/catalog-rules.md, before formatting. */
export function catalogRulesPage(): string {
  return [
    INTRODUCTION,
    rulesSections(RULES.filter(({ decided }) => decided !== true)),
    ASSUMED,
    ASSUMPTIONS.map(assumption).join('\n'),
    SANDBOX,
  ]
    .map((part) => part.trim())
    .join('\n\n');
}

function assumption({ what, default: value, setting }: Assumption): string {
  const changed = setting === undefined ? '' : ` (\`${setting}\`)`;
  return `- ${what}: ${value}${changed}`;
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
