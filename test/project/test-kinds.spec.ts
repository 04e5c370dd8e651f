import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { TEST_KINDS } from '../support/test-kinds.mjs';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const filesOf = (patterns: readonly string[]): string[] => globSync([...patterns], { cwd });

describe('every spec file', () => {
  it('belongs to exactly one kind of test, so that one command runs it', () => {
    const kinds = Object.entries(TEST_KINDS).flatMap(([kind, patterns]) =>
      filesOf(patterns).map((file) => ({ file, kind })),
    );
    const byFile = Map.groupBy(kinds, ({ file }) => file);
    const misplaced = filesOf(['{src,test}/**/*.spec.ts'])
      .map((file) => ({ file, kinds: (byFile.get(file) ?? []).map(({ kind }) => kind) }))
      .filter((entry) => entry.kinds.length !== 1);
    expect(misplaced).toEqual([]);
  });
});
