import type { Assumption } from '../../src/catalog/assumptions.js';

const INTRODUCTION = `## What is not documented

store-sync has to assume something where the service's interface is open. Every assumption has a default and a setting that changes it
([decision 0017](decisions/0017-assumptions-are-settings.md)). They stand in \`src/catalog/assumptions.ts\`.
`;

/** The last section of docs/catalog-rules.md, before formatting. */
export function assumptionsSection(assumptions: readonly Assumption[]): string {
  const rows = assumptions.map(({ what, default: value, setting }) => {
    const shown = setting.startsWith('workspaces.') ? `\`${cell(setting)}\`` : cell(setting);
    return `| ${cell(what)} | ${cell(value)} | ${shown} |`;
  });
  const table = ['| not documented | default | setting |', '| --- | --- | --- |', ...rows].join('\n');
  return `${INTRODUCTION}\n${table}\n`;
}

/** A bar ends a cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
