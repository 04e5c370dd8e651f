import ts from 'typescript';
import { sourceFiles } from '../support/source-files.js';

/** A string of the program that is an SQL statement. */
export interface SqlSite {
  readonly path: string;
  readonly line: number;
  /** The start of the statement. */
  readonly sql: string;
  /** Where its `SQL: why` comment stands: at the statement or its function, at its class, or nowhere. */
  readonly reason: 'own' | 'class' | null;
}

const STATEMENT =
  /^\s*(?:SELECT\s|INSERT INTO |UPDATE \w+(?: AS \w+)? SET |DELETE FROM |WITH \w+ (?:AS|\()|(?:CREATE|ALTER|DROP) (?:TEMP |UNIQUE )?(?:TABLE|INDEX|SCHEMA|ROLE|DATABASE)\b|TRUNCATE |LOCK TABLE |ANALYZE |(?:BEGIN|COMMIT|ROLLBACK)$)/;
const REASON = /SQL: \S+ \S+ \S/;
/** A migration is a statement by nature. Its docblock says why it exists. */
const MIGRATIONS = /\/migrations(?:\/|\.ts$)/;

/** Every SQL statement of `src`, with the place of its reason. */
export function sqlSites(): readonly SqlSite[] {
  return sourceFiles('src')
    .filter(({ path }) => !path.endsWith('.spec.ts') && !MIGRATIONS.test(path))
    .flatMap(({ path, text }) => sqlSitesOf(path, text));
}

export function sqlSitesOf(path: string, text: string): readonly SqlSite[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: SqlSite[] = [];
  const visit = (node: ts.Node): void => {
    const sql = sqlOf(node);
    if (sql !== null) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ path, line, sql: sql.slice(0, 60), reason: reasonOf(node, text) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function sqlOf(node: ts.Node): string | null {
  const text =
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
        : '';
  return STATEMENT.test(text) ? text.trim().replaceAll(/\s+/g, ' ') : null;
}

/** Looks at the comments before the statement and before everything that contains it. */
function reasonOf(statement: ts.Node, text: string): SqlSite['reason'] {
  for (let node = statement; !ts.isSourceFile(node); node = node.parent) {
    const comments = ts.getLeadingCommentRanges(text, node.pos) ?? [];
    if (comments.some(({ pos, end }) => REASON.test(text.slice(pos, end))))
      return ts.isClassDeclaration(node) ? 'class' : 'own';
  }
  return null;
}
