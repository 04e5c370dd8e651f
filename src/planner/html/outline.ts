import { walkHtml, type HtmlEvents, type HtmlTag } from './walk.js';

/** An element that shapes its text, with its content. */
export interface OutlineElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Whether the parent is a list item. */
  readonly inListItem: boolean;
  readonly children: OutlineNode[];
}

export type OutlineNode = string | OutlineElement;

/** An attribute as a whole number within bounds; otherwise `fallback`. */
export function numberAttribute(
  element: OutlineElement,
  name: string,
  bounds: { readonly least: number; readonly most: number; readonly fallback: number },
): number {
  const given = element.attributes.get(name)?.trim() ?? '';
  if (!/^[+-]?\d{1,15}$/.test(given)) return bounds.fallback;
  const number = Number(given);
  return number < bounds.least ? bounds.fallback : Math.min(number, bounds.most);
}

/** The text of deeper elements counts as text of their parent. Real descriptions are nested less than 30 deep. */
const DEEPEST = 200;

const SHAPES_TEXT: ReadonlySet<string> = new Set([
  'article',
  'aside',
  'blockquote',
  'br',
  'div',
  'footer',
  'form',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'hr',
  'main',
  'nav',
  'ol',
  'p',
  'pre',
  'section',
  'table',
  'ul',
  'wbr',
]);

/** Elements whose children are laid out separately. */
const HAS_PARTS: ReadonlySet<string> = new Set([
  'ul',
  'ol',
  'table',
  'thead',
  'tbody',
  'tfoot',
  'center',
  'tr',
]);

const LISTS: ReadonlySet<string> = new Set(['ul', 'ol']);
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['script', 'style']);

/**
 * The HTML elements that matter for plain text, nested at most `DEEPEST` deep. If the HTML has a `body`, content
 * outside of it is ignored.
 */
export function outlineOf(html: string): readonly OutlineNode[] {
  const builder = new OutlineBuilder();
  walkHtml(html, builder);
  return builder.root;
}

/** An open element, and the list that receives its children. */
interface OpenElement {
  readonly name: string;
  /** Name of the outline element that receives the children; empty for the document itself. */
  readonly holder: string;
  readonly children: OutlineNode[];
  /** Whether the element is, or is inside, a script or style element. */
  readonly hidden: boolean;
  readonly inBody: boolean;
  /** False outside of the body. */
  shown: boolean;
}

class OutlineBuilder implements HtmlEvents {
  root: OutlineNode[] = [];
  private hasBody = false;
  /** The ancestors of the innermost element, starting with the document. */
  private readonly around: OpenElement[] = [];
  private innermost: OpenElement = documentOf(this.root);

  open(tag: HtmlTag): void {
    const parent = this.innermost;
    this.around.push(parent);
    this.innermost =
      tag.name === 'body' && !parent.hidden && !parent.inBody ? this.body() : opened(tag, parent, this.depth);
  }

  close(): void {
    this.innermost = this.around.pop() ?? this.innermost;
  }

  text(text: string): void {
    if (this.innermost.shown) this.innermost.children.push(text);
  }

  /**
   * A comment among list items takes a line. Texts that were sent to the catalog earlier must not change, so this
   * stays.
   */
  comment(): void {
    const { shown, holder, children } = this.innermost;
    if (shown && LISTS.has(holder))
      children.push({ name: '', attributes: new Map(), inListItem: false, children: [] });
  }

  private get depth(): number {
    return this.around.length;
  }

  private body(): OpenElement {
    if (!this.hasBody) {
      this.hasBody = true;
      this.root = [];
      for (const element of this.around) element.shown = false;
    }
    return { ...documentOf(this.root), name: 'body', inBody: true };
  }
}

function documentOf(children: OutlineNode[]): OpenElement {
  return { name: '', holder: '', children, hidden: false, inBody: false, shown: true };
}

function opened({ name, attributes }: HtmlTag, parent: OpenElement, depth: number): OpenElement {
  const hidden = parent.hidden || WITHOUT_TEXT.has(name);
  const shapes = SHAPES_TEXT.has(name) || HAS_PARTS.has(parent.holder);
  const inside = { name, hidden, inBody: parent.inBody, shown: parent.shown && !hidden };
  if (!shapes || !parent.shown || depth > DEEPEST) {
    return { ...inside, holder: shapes ? parent.holder : '', children: parent.children };
  }
  const children: OutlineNode[] = [];
  parent.children.push({ name, attributes, inListItem: parent.name === 'li', children });
  return { ...inside, holder: name, children };
}
