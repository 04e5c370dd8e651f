import ts from 'typescript';
import { sourceFiles, type SourceFile } from './source-files.js';

/** A test as a reader of a report sees it. */
export interface TestTitle {
  readonly path: string;
  readonly line: number;
  /** The titles of its groups, from the outside, and its own, with a `…` in place of each value of a template. */
  readonly chain: readonly string[];
}

/** Every test of the repository. Titles that are variables are left out. */
export function testTitles(): readonly TestTitle[] {
  return [...sourceFiles('src'), ...sourceFiles('test')]
    .filter(({ path }) => path.endsWith('.spec.ts') || path.startsWith('test/contract/'))
    .flatMap(titlesIn);
}

export function titlesIn({ path, text }: SourceFile): readonly TestTitle[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: TestTitle[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const titled = titledCall(node);
    if (titled?.kind === 'test') {
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ path, line, chain: [...groups, titled.title] });
    }
    const inside = titled?.kind === 'group' ? [...groups, titled.title] : groups;
    ts.forEachChild(node, (child) => {
      visit(child, inside);
    });
  };
  visit(tree, []);
  return found;
}

/** `it('title', …)`, `describe('title', …)` and their forms with `.each`, `.skip` and the like. */
function titledCall(node: ts.Node): { readonly kind: 'test' | 'group'; readonly title: string } | null {
  if (!ts.isCallExpression(node)) return null;
  const callee = node.expression.getText();
  // Also a group with a condition, such as `describeOnRedis`.
  const kind = /^(?:it|test)\b/.test(callee) ? 'test' : /^describe(?:On\w+)?\b/.test(callee) ? 'group' : null;
  const [first] = node.arguments;
  if (kind === null || first === undefined) return null;
  if (ts.isStringLiteralLike(first)) return { kind, title: first.text };
  if (!ts.isTemplateExpression(first)) return null;
  const parts = first.templateSpans.map(({ literal }) => `…${literal.text}`);
  return { kind, title: first.head.text + parts.join('') };
}
