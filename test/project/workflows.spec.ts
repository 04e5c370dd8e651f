import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

// docs/security.md promises these.
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
