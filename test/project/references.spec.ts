import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { RULE_IDS } from '../contract/rules.js';
import { sourceFiles } from '../support/source-files.js';
import { anchorsOf } from './markdown.js';

interface Comment {
  /** `path:line`. */
  readonly at: string;
  readonly text: string;
}

/** A path of the checkout with an optional anchor, as comments cite it. */
const REFERENCE =
  /\b(?:docs|src|test|config)\/[\w./-]*\w\.\w+(?:#[\w-]+)?|\b(?:README|CONTRIBUTING)\.md(?:#[\w-]+)?/g;
/** A rule of the catalog service. The prefixes are those of test/contract/rules.ts. */
const RULE = new RegExp(
  `\\b(?:${[...new Set([...RULE_IDS].map((id) => id.split('-')[0]))].join('|')})-\\d+\\b`,
  'g',
);
/** Ways to cite a document that is not in the repository: by number, by quoted heading, or by a name that no file has. */
const OUTSIDE = [
  /\bdesign(?:\.md)?\s+(?:sections?\s+)?\d/i,
  /\bsections? \d/i,
  /\binterface(?:\.md| section)?\s+"/i,
  /\bcatalog-api(?!-coverage)/i,
  /\b(?:design|interface|style|reliability|shopify|shopify-recorded)\.md\b/i,
  /\bissue #?\d/i,
  /(?:^|[\s"'(])\/(?:work|tmp\/wt)\//,
];

const SELF = 'test/project/references.spec.ts';
const files = [...sourceFiles('src'), ...sourceFiles('test')].filter(({ path }) => path !== SELF);
const comments = files.flatMap(({ path, text }) => commentsOf(path, text));
const anchors = new Map<string, readonly string[]>();

/** All comments of a file, each as one line. */
function commentsOf(path: string, text: string): readonly Comment[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = new Map<number, Comment>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) {
      const line = tree.getLineAndCharacterOfPosition(pos).line + 1;
      found.set(pos, {
        at: `${path}:${line}`,
        text: text.slice(pos, end).replaceAll(/\s*\n\s*\*?\s*/g, ' '),
      });
    }
    node.getChildren(tree).forEach(visit);
  };
  visit(tree);
  return [...found.values()];
}

function resolves(reference: string): boolean {
  const [path = '', anchor] = reference.split('#');
  if (!existsSync(path)) return false;
  if (anchor === undefined) return true;
  if (!anchors.has(path)) anchors.set(path, anchorsOf(readFileSync(path, 'utf8')));
  return anchors.get(path)?.includes(anchor) ?? false;
}

function brokenIn(text: string): readonly string[] {
  const paths = text.match(REFERENCE) ?? [];
  const rules = text.match(RULE) ?? [];
  return [...paths.filter((path) => !resolves(path)), ...rules.filter((id) => !RULE_IDS.has(id))];
}

function leadsOutside(text: string): boolean {
  return OUTSIDE.some((pattern) => pattern.test(text));
}

describe('references in comments', () => {
  it('lead to files, headings and rules of this repository', () => {
    expect(comments.length).toBeGreaterThan(1000);
    const broken = comments.flatMap(({ at, text }) =>
      brokenIn(text).map((reference) => `${at}: ${reference}`),
    );
    expect(broken).toEqual([]);
  });

  it('never lead to documents outside of the repository', () => {
    expect(comments.filter(({ text }) => leadsOutside(text)).map(({ at, text }) => `${at}: ${text}`)).toEqual(
      [],
    );
  });

  it('in test titles never lead outside either', () => {
    const titles = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:it|describe)(?:\.each\([^)]*\))?\(\s*(['"`])(.*?)\1/g)].map(
        ([, , title = '']) => ({ path, title }),
      ),
    );
    expect(titles.filter(({ title }) => leadsOutside(title))).toEqual([]);
  });
});

describe('the check of references', () => {
  it.each([
    ['see docs/decisions/0001-rows-before-queues.md', []],
    ['see docs/catalog-rules.md#delivery-08, and DELIVERY-08', []],
    ['see docs/decisions/0000-nothing.md', ['docs/decisions/0000-nothing.md']],
    ['see docs/catalog-rules.md#no-such-rule', ['docs/catalog-rules.md#no-such-rule']],
    ['rule DELIVERY-99', ['DELIVERY-99']],
  ])('judges “%s”', (text, broken) => {
    expect(brokenIn(text)).toEqual(broken);
  });

  it.each([
    ['design section 1.12', true],
    ['interface "HTTP"', true],
    ['catalog-api "Delivery"', true],
    ['docs/catalog-api-coverage.md', false],
    ['a section of the page', false],
  ])('sees whether “%s” leads outside: %s', (text, outside) => {
    expect(leadsOutside(text)).toBe(outside);
  });
});
