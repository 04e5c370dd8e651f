import { readFileSync } from 'node:fs';
import type { FaultRow } from './fault-map.js';

const LIST = /(<!-- faults: .*-->\n)[\s\S]*(\n<!-- end of faults -->)/;

/** docs/security.md with the present list of faults, before formatting. */
export function faultPage(faults: readonly FaultRow[]): string {
  const lines = faults.map(({ id, fault, behaviour }) => `- **${id}** ${fault}: ${behaviour}.`);
  return readFileSync('docs/security.md', 'utf8').replace(
    LIST,
    (_, start: string, end: string) => `${start}\n${lines.join('\n')}\n${end}`,
  );
}
