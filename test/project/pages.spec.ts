import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { anchorsOf, codeOf, pages, relativeLinks } from './markdown.js';
import { commandTree, misuse } from './command-tree.js';

const PAGES = pages().map((page) => [page.path, page] as const);
const scripts = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8'))).scripts;

describe.each(PAGES)('%s', (_path, page) => {
  it('links to pages and headings that there are', () => {
    const broken = relativeLinks(page).filter(({ target, anchor }) => {
      if (!existsSync(target)) return true;
      return anchor !== '' && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('names npm scripts that there are', () => {
    const named = codeOf(page.text).flatMap((code) =>
      [...code.matchAll(/\bnpm (?:run(?: --?[\w-]+)* ([\w:-]+)|(test|start)\b)/g)].map(
        ([, script, short]) => script ?? short ?? '',
      ),
    );
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it('names files of the checkout that there are', () => {
    const named = codeOf(page.text).flatMap(
      (code) => /^(?:src|test|docs|config|bin)\/[\w./-]+$/.exec(code) ?? [],
    );
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});

const tree = await commandTree();

describe('the commands in the pages', () => {
  it.each(PAGES)('of %s are the program’s own, with options that they have', (_path, page) => {
    const wrong = codeOf(page.text)
      .flatMap((code) => [
        ...code.matchAll(/(?:^|[\s(])(?<!exec )(?:store-sync|bin\/store-sync\.js) ([a-z-][^#;&|)>]*)/g),
      ])
      .map(([, words = '']) => words.trim())
      .map((words) => misuse(tree, words))
      .filter((problem) => problem !== null);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['sync --store main --full', null],
    ['deliveries show ID', null],
    ['frobnicate', 'store-sync frobnicate: no such command'],
    ['status --store main', 'store-sync status: no option --store'],
    ['deliveries purge', 'store-sync deliveries: no action purge'],
    ['status now', 'store-sync status: takes no word'],
  ])('judged: %s', (words, problem) => {
    expect(misuse(tree, words)).toBe(problem);
  });
});
