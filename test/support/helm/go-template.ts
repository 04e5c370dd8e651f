import { createHash } from 'node:crypto';
import { stringify } from 'yaml';

/**
 * The part of Go's text/template, and of Helm's functions, that the chart uses. Anything else throws, so that a template
 * cannot pass here and fail in Helm. Where `helm` is installed, a test compares both.
 */
export class GoTemplates {
  readonly #defined = new Map<string, readonly Node[]>();

  /** Reads a file. Its definitions are known to every template afterwards. */
  add(source: string): Template {
    const nodes = parseBlock(tokensOf(source), []).nodes;
    for (const node of nodes) if (node.kind === 'define') this.#defined.set(node.name, node.body);
    return { render: (root) => this.#render(nodes, { dot: root, root, variables: new Map() }) };
  }

  #render(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#renderOne(node, scope)).join('');
  }

  #renderOne(node: Node, scope: Scope): string {
    switch (node.kind) {
      case 'text':
        return node.text;
      case 'define':
        return '';
      case 'print':
        return printed(this.#value(node.pipeline, scope));
      case 'assign':
        scope.variables.set(node.variable, this.#value(node.pipeline, scope));
        return '';
      case 'if': {
        const branch = isTrue(this.#value(node.pipeline, scope)) ? node.body : node.otherwise;
        return this.#render(branch, inner(scope));
      }
      case 'with': {
        const value = this.#value(node.pipeline, scope);
        return isTrue(value)
          ? this.#render(node.body, inner(scope, value))
          : this.#render(node.otherwise, inner(scope));
      }
      case 'range': {
        const entries = entriesOf(this.#value(node.pipeline, scope));
        const rendered = entries.map(([key, value]) => {
          const each = inner(scope, value);
          if (node.variables[0] !== undefined) each.variables.set(node.variables[0], key);
          if (node.variables[1] !== undefined) each.variables.set(node.variables[1], value);
          return this.#render(node.body, each);
        });
        return rendered.join('');
      }
    }
  }

  #value(pipeline: Pipeline, scope: Scope): unknown {
    let previous: unknown[] = [];
    for (const [head, ...rest] of pipeline) {
      if (head === undefined) throw new Error('empty command in a template');
      const values = rest.map((term) => this.#term(term, scope));
      if (head.kind === 'function') previous = [this.#call(head.name, [...values, ...previous])];
      else if (rest.length + previous.length === 0) previous = [this.#term(head, scope)];
      else throw new Error('a value takes no arguments');
    }
    return previous[0];
  }

  #term(term: Term, scope: Scope): unknown {
    switch (term.kind) {
      case 'literal':
        return term.value;
      case 'group':
        return this.#value(term.pipeline, scope);
      case 'function':
        return this.#call(term.name, []);
      case 'path':
        return term.path.reduce<unknown>(fieldOf, startOf(term.start, scope));
    }
  }

  #call(name: string, args: readonly unknown[]): unknown {
    if (name === 'include') {
      const body = this.#defined.get(String(args[0]));
      if (body === undefined) throw new Error(`no template ${String(args[0])}`);
      return this.#render(body, { dot: args[1], root: args[1], variables: new Map() });
    }
    const called = FUNCTIONS[name];
    if (called === undefined) throw new Error(`the function ${name} is not known here`);
    return called(...args);
  }
}

export interface Template {
  render(root: unknown): string;
}

interface Scope {
  readonly dot: unknown;
  readonly root: unknown;
  readonly variables: Map<string, unknown>;
}

type Term =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'path'; readonly start: string; readonly path: readonly string[] }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'group'; readonly pipeline: Pipeline };
type Pipeline = readonly (readonly Term[])[];

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly pipeline: Pipeline }
  | { readonly kind: 'assign'; readonly variable: string; readonly pipeline: Pipeline }
  | { readonly kind: 'define'; readonly name: string; readonly body: readonly Node[] }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly variables: readonly string[];
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

interface Token {
  readonly action: boolean;
  readonly text: string;
}

/** Text and actions in turn. `{{-` and `-}}` take the white space beside them away. */
function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let trimNext = false;
  let at = 0;
  for (const match of source.matchAll(/\{\{(-\s)?([\s\S]*?)(\s-)?\}\}/g)) {
    const [whole, before, text = '', after] = match;
    let plain = source.slice(at, match.index);
    if (trimNext) plain = plain.trimStart();
    if (before !== undefined) plain = plain.trimEnd();
    tokens.push({ action: false, text: plain });
    if (!/^\s*\/\*/.test(text)) tokens.push({ action: true, text: text.trim() });
    trimNext = after !== undefined;
    at = match.index + whole.length;
  }
  const last = source.slice(at);
  return [...tokens, { action: false, text: trimNext ? last.trimStart() : last }];
}

/** Takes tokens up to one of `ends`, which it names. */
function parseBlock(tokens: Token[], ends: readonly string[]): { nodes: Node[]; end: string } {
  const nodes: Node[] = [];
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if (!token.action) {
      nodes.push({ kind: 'text', text: token.text });
      continue;
    }
    const [, word = '', rest = ''] = /^(\w+)?\s*([\s\S]*)$/.exec(token.text) ?? [];
    if (ends.includes(word)) return { nodes, end: word };
    if (word === 'define') {
      nodes.push({ kind: 'define', name: String(JSON.parse(rest)), body: parseBlock(tokens, ['end']).nodes });
    } else if (word === 'if' || word === 'with' || word === 'range') {
      const [, names = '', pipeline = ''] = /^(?:(\$\w+(?:,\s*\$\w+)?)\s*:=)?([\s\S]*)$/.exec(rest) ?? [];
      const { nodes: body, end } = parseBlock(tokens, ['else', 'end']);
      const otherwise = end === 'else' ? parseBlock(tokens, ['end']).nodes : [];
      const variables = names === '' ? [] : names.split(',').map((name) => name.trim());
      nodes.push({ kind: word, variables, pipeline: parsePipeline(pipeline), body, otherwise });
    } else {
      const assignment = /^(\$\w+)\s*:=([\s\S]*)$/.exec(token.text);
      if (assignment === null) nodes.push({ kind: 'print', pipeline: parsePipeline(token.text) });
      else {
        const [, variable = '', value = ''] = assignment;
        nodes.push({ kind: 'assign', variable, pipeline: parsePipeline(value) });
      }
    }
  }
  if (ends.length > 0) throw new Error(`a template lacks its ${ends.join(' or ')}`);
  return { nodes, end: '' };
}

function parsePipeline(text: string): Pipeline {
  const words = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|"]+/g)].map(([word]) => word);
  const pipeline = commands(words);
  if (words.length > 0) throw new Error(`cannot read the action ${text}`);
  return pipeline;
}

function commands(words: string[]): Pipeline {
  const found: Term[][] = [[]];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === ')') break;
    if (word === '|') found.push([]);
    else found.at(-1)?.push(word === '(' ? { kind: 'group', pipeline: commands(words) } : termOf(word));
  }
  return found;
}

function termOf(word: string): Term {
  if (word.startsWith('"') || /^-?\d+$/.test(word) || word === 'true' || word === 'false')
    return { kind: 'literal', value: JSON.parse(word) };
  if (/^(\$\w*)?(\.\w+)*\.?$/.test(word)) {
    const [start = '', ...path] = word.split('.');
    return { kind: 'path', start, path: path.filter((name) => name !== '') };
  }
  if (/^\w+$/.test(word)) return { kind: 'function', name: word };
  throw new Error(`cannot read ${word} in a template`);
}

function startOf(start: string, scope: Scope): unknown {
  if (start === '') return scope.dot;
  if (start === '$') return scope.root;
  if (!scope.variables.has(start)) throw new Error(`no variable ${start}`);
  return scope.variables.get(start);
}

function inner(scope: Scope, dot: unknown = scope.dot): Scope {
  return { dot, root: scope.root, variables: new Map(scope.variables) };
}

/** As in Helm, a missing field is nothing, and a field of nothing is an error. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) throw new Error(`nil pointer evaluating .${name}`);
  return (value as Readonly<Record<string, unknown>>)[name];
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function entriesOf(value: unknown): [unknown, unknown][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [...value.entries()];
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

function printed(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`a template prints ${JSON.stringify(value)}`);
}

function indented(width: unknown, text: unknown): string {
  const space = ' '.repeat(Number(width));
  return printed(text).replaceAll(/^/gm, space);
}

const FUNCTIONS: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  and: (...all) => all.find((each) => !isTrue(each)) ?? all.at(-1),
  or: (...all) => all.find(isTrue) ?? all.at(-1),
  not: (value) => !isTrue(value),
  eq: (one, other) => one === other,
  ne: (one, other) => one !== other,
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  dict: (...all) =>
    Object.fromEntries(all.flatMap((key, at) => (at % 2 === 0 ? [[String(key), all[at + 1]]] : []))),
  indent: indented,
  nindent: (width, text) => `\n${indented(width, text)}`,
  printf: (format, ...values) => String(format).replaceAll(/%s/g, () => printed(values.shift())),
  quote: (value) => (value === undefined || value === null ? '' : JSON.stringify(printed(value))),
  required: (message, value) => {
    if (!isTrue(value)) throw new Error(String(message));
    return value;
  },
  sha256sum: (text) => createHash('sha256').update(printed(text)).digest('hex'),
  toYaml: (value) => stringify(value, { sortMapEntries: true, lineWidth: 0 }).trimEnd(),
  trimSuffix: (end, text) => {
    const whole = printed(text);
    return whole.endsWith(String(end)) ? whole.slice(0, -String(end).length) : whole;
  },
  trunc: (length, text) => printed(text).slice(0, Number(length)),
};
