import ts from 'typescript';

export type TextKind = 'comment' | 'message' | 'title' | 'document' | 'name';

/** A piece of prose and where it begins. */
export interface Prose {
  readonly kind: TextKind;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Strings in these calls are titles of tests. */
const TITLES = /^(describe|it|test)(\.|$|\()/;
/** A string is a message when it reads like a sentence: three words or more, the second of which is a plain word. */
const MESSAGE = /^["“]?[\p{L}…$][^\s]* \p{Ll}[\p{L}’'-]*[,;:]? [^\s]/u;
const NO_MESSAGE =
  /^(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|FROM|WHERE|AND|OR|JOIN|LEFT|query|mutation|fragment)\b|[{};]\s*$|=>|::|^\w+ = |IS NOT NULL|default-src/;

/** Comments and titles of a TypeScript or JavaScript file, and the messages of the program. */
export function proseOfCode(path: string, text: string): readonly Prose[] {
  const tree = ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('.ts') ? undefined : ts.ScriptKind.JS,
  );
  const lineOf = (position: number): number => tree.getLineAndCharacterOfPosition(position).line + 1;
  const isTest = /\.spec\.ts$|^test\//.test(path);
  const found: Prose[] = [];
  const seen = new Set<number>();
  let previous: { end: number; prose: Prose } | undefined;
  const takeComment = ({ pos, end, kind }: ts.CommentRange): void => {
    if (seen.has(pos)) return;
    seen.add(pos);
    const body = plainComment(text.slice(pos, end));
    // Line comments that follow each other are one text.
    if (
      previous &&
      kind === ts.SyntaxKind.SingleLineCommentTrivia &&
      /^\s*$/.test(text.slice(previous.end, pos)) &&
      text.slice(previous.end, pos).split('\n').length === 2
    ) {
      const prose = {
        ...previous.prose,
        text: `${previous.prose.text}${body === '' || /^[-*] /.test(body) ? '\n' : ' '}${body}`,
      };
      found[found.indexOf(previous.prose)] = prose;
      previous = { end, prose };
      return;
    }
    const prose: Prose = { kind: 'comment', path, line: lineOf(pos), text: body };
    found.push(prose);
    previous = kind === ts.SyntaxKind.SingleLineCommentTrivia ? { end, prose } : undefined;
  };
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) takeComment(range);
    for (const range of ts.getTrailingCommentRanges(text, node.end) ?? []) takeComment(range);
    if (isDeclaredName(node))
      found.push({ kind: 'name', path, line: lineOf(node.getStart(tree)), text: node.text });
    const string = textOf(node);
    if (string !== undefined) {
      const kind = isTest ? (isTitle(node) ? 'title' : undefined) : isMessage(string) ? 'message' : undefined;
      if (kind) found.push({ kind, path, line: lineOf(node.getStart(tree)), text: string });
    }
    node.getChildren(tree).forEach(visit);
  };
  visit(tree);
  return found;
}

/** Prose of a Markdown page: code is left out, and each cell of a table and each item of a list stands by itself. */
export function proseOfDocument(path: string, text: string): readonly Prose[] {
  const found: Prose[] = [];
  let paragraph: { line: number; text: string } | undefined;
  const end = (): void => {
    if (paragraph) found.push({ kind: 'document', path, ...paragraph });
    paragraph = undefined;
  };
  let fenced = false;
  text.split('\n').forEach((raw, index) => {
    const line = index + 1;
    if (/^\s*```/.test(raw)) {
      fenced = !fenced;
      end();
    } else if (fenced || /^\s*(<!--|!\[)/.test(raw)) end();
    else if (/^\s*\|/.test(raw)) {
      end();
      if (/^[\s|:-]+$/.test(raw)) return;
      for (const cell of raw.split(/(?<!\\)\|/))
        if (cell.trim() !== '') found.push({ kind: 'document', path, line, text: plainMarkdown(cell) });
    } else if (raw.trim() === '' || raw.startsWith('#')) {
      end();
      if (raw.startsWith('#'))
        found.push({ kind: 'title', path, line, text: plainMarkdown(raw.replace(/^#+ /, '')) });
    } else if (/^\s*([-*]|\d+\.) /.test(raw)) {
      end();
      paragraph = { line, text: plainMarkdown(raw.replace(/^\s*([-*]|\d+\.) /, '')) };
    } else if (paragraph) paragraph.text += ` ${plainMarkdown(raw.trim())}`;
    else paragraph = { line, text: plainMarkdown(raw.trim()) };
  });
  end();
  return found;
}

function plainComment(comment: string): string {
  return (
    comment
      .replace(/^\/\*\*?|\*\/$/g, '')
      .split('\n')
      .map((line) => line.replace(/^\s*(\*|\/\/)\s?/, '').trim())
      .filter((line) => !line.startsWith('eslint-'))
      // An empty line ends a paragraph, and so do the items of a list.
      .map((line) => (line === '' ? '\n' : /^([-*]|\d+\.) /.test(line) ? `\n${line}` : line))
      .join(' ')
      .replaceAll(/`[^`]*`/g, '`code`')
      .trim()
  );
}

function plainMarkdown(text: string): string {
  return (
    text
      .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/`[^`]*`/g, '`code`')
      .replaceAll(/<[^>]+>/g, ' ')
      // Quotations, as of the titles of tests.
      .replaceAll(/“[^”]*”/g, '“…”')
      .replaceAll('**', '')
      .trim()
  );
}

/** The text of a string literal or template; a placeholder is `…`. Parts of a concatenation and imports are none. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return ts.isImportDeclaration(node.parent) ||
      ts.isExportDeclaration(node.parent) ||
      ts.isTaggedTemplateExpression(node.parent)
      ? undefined
      : node.text;
  }
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  return undefined;
}

/** The name of a declaration: uses of it, and names of others' code, are not judged. A migration keeps its name for ever. */
function isDeclaredName(node: ts.Node): node is ts.Identifier | ts.PrivateIdentifier {
  if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return false;
  const { parent } = node;
  const isDeclaration =
    ts.isVariableDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isBindingElement(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isClassDeclaration(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isTypeAliasDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyAssignment(parent);
  return isDeclaration && parent.name === node && !/\d{10,}$/.test(node.text);
}

function isTitle(node: ts.Node): boolean {
  const call = node.parent;
  return ts.isCallExpression(call) && call.arguments[0] === node && TITLES.test(call.expression.getText());
}

function isMessage(text: string): boolean {
  return MESSAGE.test(text) && !NO_MESSAGE.test(text);
}
