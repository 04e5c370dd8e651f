import type { Assumption } from '../../src/catalog/assumptions.js';

const INTRODUCTION = `# What the catalog service does not document

store-sync has to assume something where the service's interface is open. Every assumption has a default and a setting that changes it
([decision 0017](decisions/0017-assumptions-are-settings.md)). This page is generated from \`src/catalog/assumptions.ts\` by \`npm run docs\`. The rules that are known
are in [catalog-rules.md](catalog-rules.md).
`;

/** docs/assumptions.md, before formatting. */
export function assumptionsPage(assumptions: readonly Assumption[]): string {
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
