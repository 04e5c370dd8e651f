import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { CHART, objectsOf, renderChart, type ManifestObject } from '../support/helm/chart.js';
import { BOTH_LAYOUTS } from '../support/helm/sample-values.js';

const isInstalled = spawnSync('helm', ['version']).status === 0;

function helm(command: readonly string[], values: unknown): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-sync-helm-'));
  try {
    const file = join(directory, 'values.yaml');
    writeFileSync(file, stringify(values));
    return execFileSync('helm', [...command, CHART, '--values', file], { encoding: 'utf8' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The objects by kind and name. The texts of the configuration differ in their quotes, and so does their checksum. */
function comparable(objects: readonly ManifestObject[]): unknown {
  const named = objects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const);
  const text = JSON.stringify(Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1))));
  return JSON.parse(text.replaceAll(/"[0-9a-f]{64}"/g, '"checksum"')) as unknown;
}

(isInstalled ? describe : describe.skip)('the chart, where helm is installed', () => {
  it.each(BOTH_LAYOUTS)(
    'becomes the same objects as in the tests: %s, layout %s',
    (_what, _layout, values) => {
      const made = objectsOf(helm(['template', 'store-sync'], values));
      expect(comparable(made)).toEqual(comparable(renderChart(values).objects));
    },
  );

  it('passes the strict lint', () => {
    expect(helm(['lint', '--strict'], {})).toContain('0 chart(s) failed');
  });
});
