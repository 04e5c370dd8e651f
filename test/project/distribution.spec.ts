import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

const manifest = z
  .object({
    name: z.string(),
    version: z.string(),
    private: z.boolean().optional(),
  })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

describe('the workflows', () => {
  const folder = '.github/workflows';
  const workflows = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8'));

  it('release nothing before the gate has passed', () => {
    expect(readFileSync(`${folder}/release.yaml`, 'utf8')).toMatch(/publish:\n {4}needs: gate\n/);
  });

  it('have every action by its commit, with the release beside it', () => {
    const used = workflows.flatMap((text) => [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action));
    expect(used.length).toBeGreaterThan(4);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('give the image a bill of materials and a provenance', () => {
    expect(workflows.join('\n')).toMatch(/docker buildx bake --push --sbom=true --provenance=mode=max\n/);
  });
});

it('a release of this version has notes', () => {
  expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`\n## [${manifest.version}]`);
});

describe('the systemd unit', () => {
  const unit = readFileSync('deploy/systemd/store-sync.service', 'utf8');

  it('gives every secret of the example configuration as a file', () => {
    const example = readFileSync('config/example.yaml', 'utf8');
    const needed = [...example.matchAll(/\$\{([A-Z_]+)\}/g)].map((match) => match[1] ?? '');
    expect(needed.length).toBeGreaterThan(3);
    for (const name of needed)
      expect(unit).toContain(`Environment=${name}_FILE=%d/secrets_${name.toLowerCase()}\n`);
  });

  it('waits longer for a stop than the program takes, and reloads without a restart', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(27);
    expect(unit).toContain('ExecReload=/bin/kill -HUP $MAINPID\n');
  });
});

describe('the npm package', () => {
  it('has a scoped name, so that nobody else can publish a command of that name', () => {
    expect(manifest.name).toBe('@store-sync/worker');
    expect(manifest.private).toBeUndefined();
    expect(existsSync('bin/store-sync.js')).toBe(true);
  });
});
