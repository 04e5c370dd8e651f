import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { sourceFiles } from '../support/source-files.js';

/** Areas whose sentences for people stand in the `messages.ts` of the folder, so that a writer can edit them. */
const AREAS: readonly { readonly folder: string; readonly files: RegExp }[] = [
  ...['api', 'cli', 'config', 'dashboard', 'notifications', 'webhooks'].map((folder) => ({
    folder,
    files: /./,
  })),
  // The other use cases describe states of rows. Only the check speaks about the setup.
  { folder: 'operations', files: /\/check\.ts$/ },
];
/** Three words or more: a sentence or a part of one. */
const SENTENCE = /(?:(?:^|[\s“(])[\p{L}][\p{L}_’'-]+[.,;:”)]*(?=\s|$).*){3}/u;
/** Scripts for shells. */
const NOT_READ = '/completion-scripts.ts';
/** Values of headers and the like are no prose. */
const NO_PROSE =
  /^(no-|max-age|public,|text\/|data:|camera=|[a-z]+-src |SELECT |UPDATE |INSERT |DELETE |WITH |HTTP\/1\.1 |4\d\d [A-Z])/;

/** Strings of a file, and the texts of its `html` templates, that read as a sentence; placeholders are `…`. */
function sentencesOf(path: string, text: string): readonly string[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || describesRoute(node)) return;
    for (const part of textsOf(node)) {
      if (SENTENCE.test(part) && !NO_PROSE.test(part))
        found.push(`${path}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${part}`);
    }
    node.getChildren(tree).forEach(visit);
  };
  visit(tree);
  return found;
}

/**
 * `@Describe({ … })` and `.describe('…')`: the texts of the OpenAPI document stand at the route or the field that they describe.
 * `@Audited('…')` names a change for the audit.
 */
function describesRoute(node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  const { expression } = node;
  return ts.isPropertyAccessExpression(expression)
    ? expression.name.text === 'describe' && ts.isStringLiteral(node.arguments[0] ?? node)
    : ['Describe', 'Audited'].includes(expression.getText());
}

function textsOf(node: ts.Node): readonly string[] {
  if (ts.isStringLiteral(node)) return [node.text];
  if (!ts.isTemplateLiteral(node)) return [];
  const text = ts.isNoSubstitutionTemplateLiteral(node)
    ? node.text
    : node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  const isMarkup = ts.isTaggedTemplateExpression(node.parent) && node.parent.tag.getText() === 'html';
  // In markup the texts between tags are shown, and so are labels.
  return (
    isMarkup
      ? [
          ...text.split(/<[^>]*>/),
          ...[...text.matchAll(/aria-label="([^"]*)"/g)].map(([, label = '']) => label),
        ]
      : [text]
  ).map((part) => part.replaceAll(/\s+/g, ' ').trim());
}

describe('sentences for people', () => {
  it.each(AREAS)('of src/$folder stand in its messages.ts', ({ folder, files: read }) => {
    expect(existsSync(`src/${folder}/messages.ts`)).toBe(true);
    const files = sourceFiles(`src/${folder}`).filter(
      ({ path }) => read.test(path) && !/\.spec\.ts$|\/messages\.ts$/.test(path) && !path.endsWith(NOT_READ),
    );
    expect(files.flatMap(({ path, text }) => sentencesOf(path, text))).toEqual([]);
  });

  it.each([
    ["throw new Error('the product was not found');", 1],
    ['const text = `the run ${id} has ended`;', 1],
    ['html`<p>No runs match this filter.</p>`', 1],
    ['html`<p aria-label="Reading the store"></p>`', 1],
    ["const name = 'SEO title';", 0],
    ['html`<p class="a b c">Runs</p>`', 0],
    ["import { a } from './b.js';", 0],
    ["z.string().describe('the id of a run');", 0],
    ["describe('the id of a run', () => undefined);", 1],
  ])('found in %s: %d', (text, count) => {
    expect(sentencesOf('x.ts', text)).toHaveLength(count);
  });
});
