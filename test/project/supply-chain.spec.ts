import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = '.github/workflows';
const workflows = readdirSync(FOLDER).map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { dev?: boolean }>;
};

describe('the supply chain', () => {
  it('has every action of a workflow by its commit, with the release beside it', () => {
    const used = workflows.flatMap((text) => [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action));
    expect(used.length).toBeGreaterThan(4);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('gives the image a bill of materials and a provenance', () => {
    expect(workflows.join('\n')).toMatch(/docker buildx bake --push --sbom=true --provenance=mode=max\n/);
  });

  it('brings nothing into an installation that reports it', () => {
    const scarf = Object.entries(lock.packages).filter(([path]) => /@scarf\/|swagger-ui-dist$/.test(path));
    expect(scarf.length).toBeGreaterThan(0);
    expect(scarf.filter(([, { dev }]) => dev !== true)).toEqual([]);
  });
});
