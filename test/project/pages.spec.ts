import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { buildProgram } from '../../src/cli/program.js';
import { FAULT_PROOFS } from '../fault/fault-proofs.js';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));
const { commands } = await buildProgram('0.0.0');

const fences = /^```[\s\S]*?^```/gm;
const prose = (text: string): string => text.replaceAll(fences, '').replaceAll(/`[^`\n]+`/g, '');

/** As a forge makes them of headings. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replaceAll(fences, '');
  const headings = [...text.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

describe.each(globSync(['*.md', 'docs/**/*.md']))('%s', (path) => {
  const text = readFileSync(path, 'utf8');

  it('links to pages and headings that there are', () => {
    const links = [...prose(text).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.filter(([, page = '', anchor]) => {
      const target = page === '' ? path : posix.join(posix.dirname(path), page);
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('links to functions in the files that have them', () => {
    const links = [...text.matchAll(/\[`[\w.]*?(\w+)`[^\]]*\]\((\.\.\/src\/[^)]+)\)/g)];
    const lost = links.filter(([, name = '', file = '']) => {
      const source = posix.join(posix.dirname(path), file);
      return !new RegExp(`\\b${name}\\b`).test(readFileSync(source, 'utf8'));
    });
    expect(lost.map(([link]) => link)).toEqual([]);
  });

  it('names scripts, files and commands that there are', () => {
    const named = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
    const lost = [
      ...named(/\bnpm run(?: --?[\w-]+)* ([\w:-]+)/g).filter((name) => !Object.hasOwn(scripts, name)),
      ...named(/`((?:src|test|docs|config|bin)\/[\w./-]+)`/g).filter((name) => !existsSync(name)),
      ...named(/`store-sync ([a-z][a-z-]*)/gm).filter(
        (name) => !commands.some((command) => command.name() === name),
      ),
    ];
    expect(lost).toEqual([]);
  });
});

it('docs/security.md lists the faults that tests prove', () => {
  const page = readFileSync('docs/security.md', 'utf8');
  const listed = [...page.matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map(([, id]) => id);
  expect(listed).toEqual(Object.keys(FAULT_PROOFS));
  const files = Object.values(FAULT_PROOFS).flatMap((proofs) => Object.keys(proofs));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
