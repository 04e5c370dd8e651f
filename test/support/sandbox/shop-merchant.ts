import { CodedError } from '../../../src/domain/errors.js';
import type { Post, PostRow } from '../../../src/sandbox/woocommerce/model.js';
import type { NewPost, Shop } from '../../../src/sandbox/woocommerce/shop.js';

export type MerchantEdit = Partial<Omit<Post, 'id' | 'row' | 'parentId' | 'type' | 'meta'>> &
  Partial<PostRow> & { readonly meta?: Readonly<Record<string, unknown>> };

/**
 * The hands of others on the shop: the administrator's screens, plugins, customers. The administrator may write any HTML, and
 * texts are kept as they were typed.
 */
export class ShopMerchant {
  constructor(private readonly shop: Shop) {}

  list(): Post[] {
    return this.shop.all();
  }

  /** Undefined when there is no such product or variation. */
  get(id: number): Post | undefined {
    return this.shop.post(id);
  }

  create(fields: NewPost): Post {
    return this.shop.add(this.shop.blank(fields));
  }

  edit(id: number, edit: MerchantEdit): Post {
    const post = this.required(id);
    const { name, slug, status, description, shortDescription, menuOrder, meta = {}, ...others } = edit;
    const row = { name, slug, status, description, shortDescription, menuOrder };
    const given = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
    return this.shop.save({ ...this.withMeta(post, meta), ...others, row: { ...post.row, ...given } });
  }

  trash(id: number): Post {
    return this.shop.trash(this.required(id));
  }

  /** By the administrator's screen, which sends `restored` as well. */
  restore(id: number): Post {
    const post = this.required(id);
    const slug = post.row.slug.replace(/__trashed$/, '');
    const restored = this.shop.save({ ...post, row: { ...post.row, slug, status: 'draft' } });
    this.shop.announce('restored', id);
    return restored;
  }

  /** Deletes for good, as the emptied trash does: nobody is told. */
  delete(id: number): void {
    this.shop.destroy(this.required(id));
  }

  private withMeta(post: Post, values: Readonly<Record<string, unknown>>): Post {
    const others = post.meta.filter(({ key }) => !(key in values));
    return {
      ...post,
      meta: [...others, ...Object.entries(values).map(([key, value]) => this.shop.newMeta(key, value))],
    };
  }

  private required(id: number): Post {
    const post = this.shop.post(id);
    if (!post) throw new CodedError('not_found', `the shop has no product ${id}`);
    return post;
  }
}
