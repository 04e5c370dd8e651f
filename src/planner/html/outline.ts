import { attributesOf, walkHtml, type HtmlEvents } from './walk.js';

/** An element that shapes the text around it, with what it holds. */
export interface OutlineElement {
  readonly name: string;
  readonly attributes: string;
  /** Whether the element stands directly in a list item. */
  readonly inListItem: boolean;
  readonly children: OutlineNode[];
}

export type OutlineNode = string | OutlineElement;

/** What of an attribute counts: whole numbers within bounds. Anything else is `fallback`. */
export function numberAttribute(
  element: OutlineElement,
  name: string,
  bounds: { readonly least: number; readonly most: number; readonly fallback: number },
): number {
  const given = attributesOf(element.attributes).get(name)?.trim() ?? '';
  if (!/^[+-]?\d{1,15}$/.test(given)) return bounds.fallback;
  const number = Number(given);
  return number < bounds.least ? bounds.fallback : Math.min(number, bounds.most);
}

/** Deeper elements count as text of the one that holds them. Real descriptions stay under 30. */
const DEEPEST = 200;

const SHAPES_TEXT: ReadonlySet<string> = new Set([
  ...['article', 'aside', 'blockquote', 'br', 'div', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['header', 'hr', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'table', 'ul', 'wbr'],
]);

/** Elements whose children each have a part of their own in it. */
const HAS_PARTS: ReadonlySet<string> = new Set([
  ...['ul', 'ol', 'table', 'thead', 'tbody', 'tfoot', 'center', 'tr'],
]);

const LISTS: ReadonlySet<string> = new Set(['ul', 'ol']);
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['script', 'style']);

/**
 * The elements of HTML that matter to its plain text, nested at most `DEEPEST` deep. Where the HTML has a `body`, what is
 * outside of it does not count.
 */
export function outlineOf(html: string): readonly OutlineNode[] {
  const builder = new OutlineBuilder();
  walkHtml(html, builder);
  return builder.root;
}

/** An open element, and where its children go. */
interface OpenElement {
  readonly name: string;
  /** Name of the outline's element that takes the children; empty for the document itself. */
  readonly holder: string;
  readonly children: OutlineNode[];
  /** Whether a script or style element holds it, or is it. */
  readonly hidden: boolean;
  readonly inBody: boolean;
  /** False outside of the body. */
  shown: boolean;
}

class OutlineBuilder implements HtmlEvents {
  root: OutlineNode[] = [];
  private hasBody = false;
  /** Elements around the innermost one, which is the document at first. */
  private readonly around: OpenElement[] = [];
  private innermost: OpenElement = documentOf(this.root);

  open(name: string, attributes: string): void {
    const parent = this.innermost;
    this.around.push(parent);
    this.innermost =
      name === 'body' && !parent.hidden && !parent.inBody
        ? this.body()
        : opened(name, attributes, parent, this.depth);
  }

  close(): void {
    this.innermost = this.around.pop() ?? this.innermost;
  }

  text(text: string): void {
    if (this.innermost.shown) this.innermost.children.push(text);
  }

  /** Among the items of a list a comment takes a line. Texts that were sent to the catalog must not change. */
  comment(): void {
    const { shown, holder, children } = this.innermost;
    if (shown && LISTS.has(holder))
      children.push({ name: '', attributes: '', inListItem: false, children: [] });
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

function opened(name: string, attributes: string, parent: OpenElement, depth: number): OpenElement {
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
