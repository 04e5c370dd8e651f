import { slug as slugOf } from '../store/product-html.js';
import type { Image, Meta, Post, PostRow, Taxonomy, Term } from './model.js';

export interface ShopOptions {
  readonly now: () => Date;
  /** Hours east of Greenwich. */
  readonly offset: number;
  readonly storeId: string | null;
}

/** `restored` is what the administrator's screens send beside `updated`; the API does not. */
export type PostEvent = 'created' | 'updated' | 'deleted' | 'restored';
export type PostListener = (event: PostEvent, id: number) => void;

/** A new post's fields; the rest is empty. */
export type NewPost = Partial<Omit<Post, 'id' | 'row'>> & {
  readonly row: Partial<PostRow> & { readonly name: string };
};

const HOUR_MS = 3_600_000;
const UNCATEGORIZED = 'Uncategorized';

/** The shop's posts and terms. Announces what it sends webhooks for, and nothing else. */
export class Shop {
  readonly offset: number;
  readonly storeId: string | null;
  /** The address that the shop calls its own. */
  homeUrl = '';
  readonly defaultCategory: number;
  private readonly posts = new Map<number, Post>();
  private readonly termsById = new Map<number, Term>();
  private readonly listeners: PostListener[] = [];
  private lastId = 9;

  constructor(private readonly options: ShopOptions) {
    ({ offset: this.offset, storeId: this.storeId } = options);
    this.defaultCategory = this.term('categories', UNCATEGORIZED).id;
  }

  now(): Date {
    return this.options.now();
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** All posts by id, trash included. */
  all(): Post[] {
    return [...this.posts.values()];
  }

  post(id: number): Post | undefined {
    return this.posts.get(id);
  }

  /** A post that the shop does not have yet. */
  blank(fields: NewPost): Post {
    const row = {
      status: 'publish',
      description: '',
      shortDescription: '',
      menuOrder: 0,
      slug: '',
      ...fields.row,
    } as const;
    return {
      ...BLANK,
      id: this.nextId(),
      modifiedAt: this.now(),
      ...fields,
      row,
    };
  }

  add(post: Post): Post {
    const slug = this.freeSlug(post.row.slug === '' ? slugOf(post.row.name) : post.row.slug, post.id);
    const added = { ...post, row: { ...post.row, slug } };
    this.posts.set(post.id, added);
    if (post.parentId !== 0) this.touch(post.parentId);
    this.announce('created', post.id);
    return added;
  }

  /** Puts what was written in place. The time moves, that of a variation's product too, and `updated` is announced. */
  save(post: Post, event: PostEvent = 'updated'): Post {
    const saved = { ...post, modifiedAt: this.now() };
    this.posts.set(post.id, saved);
    if (post.parentId !== 0) this.touch(post.parentId);
    this.announce(event, post.id);
    return saved;
  }

  /** What a plugin or SQL does: no time moves and nobody hears of it. */
  putSilently(post: Post): void {
    this.posts.set(post.id, post);
  }

  /** Into the trash. Webhooks say `deleted`. */
  trash(post: Post): Post {
    return this.save({ ...post, row: { ...post.row, status: 'trash' } }, 'deleted');
  }

  /** For good. Nobody is told. */
  destroy(post: Post): void {
    for (const each of this.all()) if (each.parentId === post.id) this.posts.delete(each.id);
    this.posts.delete(post.id);
    if (post.parentId !== 0) this.touch(post.parentId);
  }

  private freeSlug(wanted: string, id: number): string {
    if (!this.isTaken(wanted, id)) return wanted;
    let number = 2;
    while (this.isTaken(`${wanted}-${number}`, id)) number += 1;
    return `${wanted}-${number}`;
  }

  private isTaken(slug: string, by: number): boolean {
    for (const { id, row } of this.posts.values()) if (id !== by && row.slug === slug) return true;
    return false;
  }

  /** Finds a term by its name, or makes it. */
  term(taxonomy: Taxonomy, name: string, parent = 0): Term {
    const kept = name.replaceAll(/&(?!\w+;|#\d+;)/g, '&amp;');
    const known = this.terms(taxonomy).find((term) => term.name === kept && term.parent === parent);
    if (known) return known;
    const term = { id: this.nextId(), taxonomy, name: kept, slug: slugOf(name), parent };
    this.termsById.set(term.id, term);
    return term;
  }

  terms(taxonomy: Taxonomy): Term[] {
    return [...this.termsById.values()].filter((term) => term.taxonomy === taxonomy);
  }

  /** The category of a path such as `Home > Kitchen`, with those above it. */
  categoryPath(path: string): Term {
    const names = path.split('>').map((name) => name.trim());
    let term = this.term('categories', names[0] ?? UNCATEGORIZED);
    for (const name of names.slice(1)) term = this.term('categories', name, term.id);
    return term;
  }

  onEvent(listener: PostListener): void {
    this.listeners.push(listener);
  }

  announce(event: PostEvent, id: number): void {
    for (const listener of this.listeners) listener(event, id);
  }

  newImage(src: string, alt: string): Image {
    return { id: this.nextId(), src, alt };
  }

  newMeta(key: string, value: unknown): Meta {
    return { id: this.nextId(), key, value };
  }

  private touch(id: number): void {
    const post = this.posts.get(id);
    if (post) this.posts.set(id, { ...post, modifiedAt: this.now() });
  }
}

/** A time as the API writes it: whole seconds and no offset. */
export function timeText(date: Date, offset = 0): string {
  return new Date(date.getTime() + offset * HOUR_MS).toISOString().slice(0, 19);
}

const BLANK: Omit<Post, 'id' | 'row' | 'modifiedAt'> = {
  parentId: 0,
  type: 'simple',
  sku: '',
  globalUniqueId: '',
  weight: '',
  categories: [],
  brands: [],
  tags: [],
  images: [],
  attributes: [],
  meta: [],
};
