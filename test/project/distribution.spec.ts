import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';

const manifest = z
  .object({
    name: z.string(),
    version: z.string(),
    private: z.boolean().optional(),
  })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

describe('the workflows', () => {
  it('release nothing before the gate has passed', () => {
    const text = readFileSync('.github/workflows/release.yaml', 'utf8');
    expect(text).toMatch(/publish:\n {4}needs: gate\n/);
  });
});

describe('release notes', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'release-notes-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  /** The notes of a tag in a checkout of this version, whose changelog has these sections. */
  const notesOf = (tag: string, version: string, sections: readonly string[]): string => {
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ version }));
    const changelog = sections.map(
      (each) => `## [${each}] - 2026-11-01\n\n### Added\n\n- What ${each} brings.\n\n`,
    );
    writeFileSync(join(dir, 'CHANGELOG.md'), `# Changelog\n\n${changelog.join('')}`);
    const options = { cwd: dir, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync(process.execPath, [resolve('.ci/release-notes.mjs'), tag], options);
  };

  it('are the section of the changelog', () => {
    expect(notesOf('v1.2.3', '1.2.3', ['Unreleased', '1.2.3', '1.2.2'])).toBe(
      '### Added\n\n- What 1.2.3 brings.\n',
    );
  });

  it('are missing for a release without a section, and stop it', () => {
    expect(() => notesOf('v1.2.3', '1.2.3', ['Unreleased', '1.2.2'])).toThrow(
      'CHANGELOG.md has no section [1.2.3]',
    );
  });

  it.each(['v1.2.4', 'v1.2', '1.2.3', 'v1.2.3-rc.1'])(
    'stop a release whose tag %s is not the version of the package',
    (tag) => {
      expect(() => notesOf(tag, '1.2.3', ['1.2.3', '1.2.4'])).toThrow(
        `the tag ${tag} does not match version 1.2.3 in package.json`,
      );
    },
  );

  it('exist for the version of this package', () => {
    const sections = readFileSync('CHANGELOG.md', 'utf8');
    expect(sections).toContain(`\n## [${manifest.version}]`);
  });
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
