import { ASSUMPTIONS, type Assumption } from '../../src/catalog/assumptions.js';
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

const ASSUMED = `## What is not documented

Here store-sync is right under every reading of the interface, or has a setting in
[\`workspaces.<name>\`](configuration.md#a-workspace-of-the-catalog-service).
`;

const SANDBOX = `## The sandbox

\`src/sandbox/catalog/\` is a complete service that follows the catalog API, with a PostgreSQL schema of its own. It makes content by rules
from the product's own data. It shares only the error class with store-sync, so that a mistake cannot hide on both sides.

\`npm run sandbox\` starts it and prints the base URL and, once, an API token; \`--help\` lists options and commands. \`npm run sandbox:store -- [--kind woocommerce] [--port 4100] [--secret-file FILE]\` starts a sandbox store.

Tests run under every reading: \`--reading NAME=VALUE\`, or \`startCatalogSandbox({ readings })\` in a test. An unknown name lists the names
and what they mean.
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

function assumption({ what, behaviour, setting }: Assumption): string {
  const parts = [behaviour, setting === undefined ? undefined : `\`${setting}\``];
  return `- ${what}: ${parts.filter((part) => part !== undefined).join('; ')}`;
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
