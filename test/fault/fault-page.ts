import type { FaultRow } from './fault-map.js';

const INTRODUCTION = `# Faults

Each fault was tried, and a test proves what happens. \`test/fault/fault-map.ts\` names the tests, and \`npm run faults\` runs them. Besides, the
[soak](testing.md#the-soak) kills replicas, their Redis and their database under 10,000 results.

W: receiving; C: the catalog service; S: the store; D: data; O: operation.
`;

/** docs/faults.md, before formatting. */
export function faultPage(faults: readonly FaultRow[]): string {
  const lines = faults.map(({ id, fault, behaviour }) => `- **${id}** ${fault}: ${behaviour}.`);
  return `${INTRODUCTION}\n${lines.join('\n')}\n`;
}
