import type { ContractRule } from './rules.js';

const INTRODUCTION = `# Rules of the catalog service

What store-sync knows about the catalog service, as numbered rules. Comments and tests cite a rule by its id, as in \`DELIVERY-04\`. This page is generated from
\`test/contract/rules.ts\` by \`npm run docs\`.

- **Held by**: whose behaviour the rule fixes. The contract suite (\`npm run contract\`) tests the service, and the specs of \`src/catalog\` test the client.
  \`npm run contract:coverage\` fails where a rule has no test.
- **Own**: the service's interface leaves this open. The rule is what [the sandbox](catalog-sandbox.md) does, and another service may do something else. store-sync relies on it only
  through a setting ([assumptions](#what-is-not-documented)) or not at all.
`;

const HELD_BY = { service: 'service', client: 'client', both: 'service and client' } as const;

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

/** docs/catalog-rules.md, before formatting. Each rule has an anchor: its id in lower case. */
export function rulesPage(rules: readonly ContractRule[]): string {
  const sections = [...Map.groupBy(rules, ({ section }) => section)].map(([heading, members]) => {
    const note = NOTES[heading];
    const rows = members.map(({ id, rule, side, decided }) => {
      const origin = decided === true ? 'own' : '';
      return `| <a id="${id.toLowerCase()}"></a>${id} | ${cell(rule)} | ${HELD_BY[side]} | ${origin} |`;
    });
    const table = ['| id | rule | held by | own |', '| --- | --- | --- | --- |', ...rows].join('\n');
    return [`## ${heading}`, ...(note === undefined ? [] : [note]), table].join('\n\n');
  });
  return `${INTRODUCTION}\n${sections.join('\n\n')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('__proto__', '`__proto__`').replaceAll('<', '&lt;');
}
