import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ProductView } from '../products/product.schemas.js';

/** docs/catalog-rules.md#events. */
export const ACTIONS = [
  'product_generated',
  'product_generation_failed',
  'product_generation_no_urls',
] as const;
export type Action = (typeof ACTIONS)[number];

export interface Outcome {
  readonly action: Action;
  /** Empty for success. */
  readonly reason: string;
}

export const GENERATED: Outcome = { action: 'product_generated', reason: '' };
export const NO_CREDITS: Outcome = { action: 'product_generation_failed', reason: 'No credits remaining.' };
export const PRODUCT_GONE: Outcome = {
  action: 'product_generation_failed',
  reason: 'The product was deleted.',
};
const FAILED: Outcome = { action: 'product_generation_failed', reason: 'Content generation failed.' };
const NO_URLS: Outcome = {
  action: 'product_generation_no_urls',
  reason: 'No source URLs could be found for the product.',
};

type Marked = Pick<ProductView, 'open_attributes' | 'metadata'>;

const tagsSchema = z.array(z.string()).catch([]);

/**
 * The outcome a product asks for: `sandbox-failed` or `sandbox-no-urls` among the `tags` in its metadata or open_attributes makes one
 * other than success.
 */
export function requestedOutcome({ open_attributes: attributes, metadata }: Marked): Outcome {
  const tags = [attributes, metadata].flatMap((fields) => tagsSchema.parse(fields['tags']));
  if (tags.includes('sandbox-failed')) return FAILED;
  return tags.includes('sandbox-no-urls') ? NO_URLS : GENERATED;
}

/** One of task.urls in a delivery (docs/catalog-rules.md#delivery-body). */
export interface SourceUrl {
  readonly id: number;
  readonly url: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly relevant_score: number;
  readonly is_user_provided_link: boolean;
}

type Sourced = Pick<ProductView, 'id' | 'url' | 'crawl_configuration' | 'name' | 'brand'>;

/** The addresses a generation is said to have read: the product's own, then two invented ones. None is ever fetched. */
export function sourceUrls(product: Sourced, outcome: Outcome, taskId: number): SourceUrl[] {
  if (outcome.action === 'product_generation_no_urls') return [];
  const provided = [product.url, product.crawl_configuration?.source_url].filter(
    (url) => typeof url === 'string',
  );
  const key = createHash('sha256')
    .update(`${product.brand ?? ''} ${product.name ?? ''} ${product.id}`)
    .digest();
  const found = [0, 1].map(
    (index) => `https://www.example.com/products/${key.toString('hex').slice(index * 8, index * 8 + 8)}`,
  );
  const all = [
    ...provided.map((url) => ({ url, is_user_provided_link: true, relevant_score: 1 })),
    ...found.map((url, index) => ({
      url,
      is_user_provided_link: false,
      relevant_score: Math.round(50 + (key[index] ?? 0) / 5.2) / 100,
    })),
  ];
  const status = outcome.action === 'product_generated' ? 'SUCCESS' : 'FAILURE';
  return all.map((entry, index) => ({ id: taskId * 10 + index, status, ...entry }));
}
