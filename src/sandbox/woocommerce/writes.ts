import { z } from 'zod';
import { MetaEntries, withMeta } from './meta.js';
import { invalidId, STATUSES } from './model.js';
import type { Post, PostRow } from './model.js';
import type { Shop } from './shop.js';
import { keptName, keptText, unslashed } from './texts.js';

/** What callers send. The shop takes more; the sandbox fails for it, because an ignored field would pass for a kept one. */
const ProductBody = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  short_description: z.string().optional(),
  status: z.enum(STATUSES).optional(),
  meta_data: MetaEntries.default([]),
});
type ProductBody = z.output<typeof ProductBody>;

/** The shop's writes of products. */
export class Writes {
  constructor(private readonly shop: Shop) {}

  /** The id is looked at before the body. */
  update(id: number, body: unknown): Post {
    const post = this.shop.post(id);
    if (!post) throw invalidId(400);
    return this.shop.save(this.applied(post, ProductBody.parse(body)));
  }

  create(body: unknown): Post {
    return this.shop.add(this.applied(this.shop.blank({ row: { name: '' } }), ProductBody.parse(body)));
  }

  /** For good. */
  remove(id: number): Post {
    const post = this.shop.post(id);
    if (!post) throw invalidId(404);
    this.shop.destroy(post);
    return post;
  }

  private applied(post: Post, body: ProductBody): Post {
    const { meta_data: entries, ...rowFields } = body;
    const isRowWritten = Object.keys(rowFields).length > 0;
    return {
      ...post,
      row: isRowWritten ? this.row(post.row, rowFields) : post.row,
      meta: withMeta(this.shop, post, entries),
    };
  }

  /** Every text of the row loses a level of backslashes, sent or not. */
  private row(before: PostRow, sent: Omit<ProductBody, 'meta_data'>): PostRow {
    const { name, description, short_description: short, status = before.status } = sent;
    return {
      ...before,
      name: name === undefined ? unslashed(before.name) : keptName(name),
      description: description === undefined ? unslashed(before.description) : keptText(description),
      shortDescription: short === undefined ? unslashed(before.shortDescription) : keptText(short),
      status,
    };
  }
}
