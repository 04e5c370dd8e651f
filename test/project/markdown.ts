import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

export interface Page {
  /** From the checkout's root. */
  readonly path: string;
  readonly text: string;
}

/** The pages of the top level and everything in docs. */
export function pages(): readonly Page[] {
  const top = readdirSync('.').filter((name) => name.endsWith('.md'));
  const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`);
  return [...top, ...docs].map((path) => ({
    path,
    text: readFileSync(path, 'utf8'),
  }));
}

export interface Link {
  /** The page that a relative link leads to, from the checkout's root. */
  readonly target: string;
  /** Without the #; empty: the page itself. */
  readonly anchor: string;
}

/** Relative links, code left out. */
export function relativeLinks(page: Page): readonly Link[] {
  const found = [...withoutCode(page.text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href);
  return found
    .filter((href) => !/^[a-z]+:/.test(href))
    .map((href) => {
      const [path = '', anchor = ''] = href.split('#');
      return { target: path === '' ? page.path : posix.join(posix.dirname(page.path), path), anchor };
    });
}

/** The anchors of a page: those that a forge makes of its headings, and `<a id="…">`. */
export function anchorsOf(text: string): readonly string[] {
  return [...headingAnchors(text), ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

function headingAnchors(text: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...withoutFences(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${String(before)}`;
  });
}

/** Every piece of code: the lines of fenced blocks, and code within sentences and tables. */
export function codeOf(text: string): readonly string[] {
  const fenced = [...text.matchAll(/^```[a-z]*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.replaceAll('\\\n', ' ').split('\n'),
  );
  const inline = [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...fenced, ...inline];
}

function withoutFences(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]+`/g, '');
}
