import { Injectable } from '@nestjs/common';
import { SandboxDatabase, type Queryable } from '../database.js';
import { selectProductTree, selectProducts } from '../products/product-rows.js';
import type { ProductView } from '../products/product.schemas.js';
import { refuseUnknownProducts } from '../products/products.service.js';
import { SandboxSettings } from '../settings.js';
import { TaskStore, type OpenTask } from '../tasks/task-store.js';
import { DeliveryStore } from '../webhooks/delivery-store.js';
import { CreditAccount } from './credit-account.js';
import { generateContent, type GenerationSource } from './generated-content.js';
import {
  NO_CREDITS,
  PRODUCT_GONE,
  requestedOutcome,
  sourceUrls,
  type Action,
  type Outcome,
} from './outcome.js';

const GENERATION_STATUS = {
  product_generated: 'success',
  product_generation_failed: 'failed',
  product_generation_no_urls: 'no_urls',
} as const satisfies Record<Action, string>;

interface WrittenText {
  locale: string;
  name: string | null;
  description: string | null;
  html_description: string | null;
  open_attributes: ProductView['open_attributes'] | null;
}

/** docs/catalog-rules.md#generation: content for products, made in the background. */
@Injectable()
export class GenerationService {
  constructor(
    private readonly database: SandboxDatabase,
    private readonly tasks: TaskStore,
    private readonly deliveries: DeliveryStore,
    private readonly credits: CreditAccount,
    private readonly settings: SandboxSettings,
  ) {}

  /** One task for the request and one for each product. Returns the id of the first. */
  async request(productIds: readonly number[]): Promise<number> {
    const ids = [...new Set(productIds)];
    return this.database.transaction(async (tx) => {
      await refuseUnknownProducts(tx, 'product_ids', ids);
      const batch = await this.tasks.add(tx, 'generate', { product_ids: ids });
      for (const productId of ids)
        await this.tasks.add(tx, 'generate_product', {}, { parentId: batch, productId });
      await tx.query(`UPDATE product SET generation_status = 'open', generation_at = $2 WHERE id = ANY($1)`, [
        ids,
        this.settings.clock(),
      ]);
      return batch;
    });
  }

  /** Does the task of one product: content, credits, task and the delivery to be sent are stored together. */
  async generate(taskId: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      const task = await this.tasks.lockOpen(tx, taskId);
      if (task?.product_id === undefined || task.product_id === null) return;
      const outcome = await this.produce(tx, task.product_id);
      const status = outcome.action === 'product_generated' ? 'SUCCESS' : 'FAILURE';
      await this.tasks.finish(tx, taskId, status, {
        result: { product_id: task.product_id, action: outcome.action },
        reason: outcome.reason === '' ? null : outcome.reason,
      });
      await this.announce(tx, task, outcome);
      if (task.parent_id !== null) await this.finishBatch(tx, task.parent_id);
    });
  }

  /** Writes the content, unless the product, its markers or the credits decide otherwise. */
  private async produce(tx: Queryable, productId: number): Promise<Outcome> {
    await tx.query('SELECT id FROM product WHERE id = $1 FOR UPDATE', [productId]);
    const fallback = this.settings.defaultLocale;
    const [product] = await selectProducts(tx, { locale: fallback, fallback }, 'WHERE p.id = $3', [
      productId,
    ]);
    if (product === undefined) return PRODUCT_GONE;
    const texts = await this.writtenTexts(tx, productId);
    const base = texts.find((text) => text.locale === fallback);
    const requested = requestedOutcome(product);
    const succeeds = requested.action === 'product_generated';
    const outcome = succeeds && !(await this.credits.consume(tx, 1)) ? NO_CREDITS : requested;
    if (outcome.action === 'product_generated') {
      for (const text of texts)
        await this.writeContent(tx, productId, text.locale, sourceOf(product, text, base));
    }
    await tx.query('UPDATE product SET generation_status = $2, generation_at = $3 WHERE id = $1', [
      productId,
      GENERATION_STATUS[outcome.action],
      this.settings.clock(),
    ]);
    return outcome;
  }

  /** The texts in the default locale and in each other locale with a name or a description. */
  private async writtenTexts(tx: Queryable, productId: number): Promise<WrittenText[]> {
    const { rows } = await tx.query<WrittenText>(
      `SELECT locale, name, description, html_description, open_attributes FROM product_text
       WHERE product_id = $1 ORDER BY locale`,
      [productId],
    );
    const fallback = this.settings.defaultLocale;
    const base = rows.find((row) => row.locale === fallback) ?? { ...NOTHING_WRITTEN, locale: fallback };
    return [
      base,
      ...rows.filter((row) => row !== base && (row.name ?? row.description ?? row.html_description) !== null),
    ];
  }

  private async writeContent(
    tx: Queryable,
    productId: number,
    locale: string,
    source: GenerationSource,
  ): Promise<void> {
    const content = generateContent(source);
    await tx.query(
      `INSERT INTO product_text
         (product_id, locale, generated_name, generated_description, generated_html_description, sections)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (product_id, locale) DO UPDATE SET generated_name = excluded.generated_name,
         generated_description = excluded.generated_description,
         generated_html_description = excluded.generated_html_description, sections = excluded.sections`,
      [
        productId,
        locale,
        content.name,
        content.description,
        content.htmlDescription,
        JSON.stringify(content.sections),
      ],
    );
  }

  private async announce(tx: Queryable, task: OpenTask, outcome: Outcome): Promise<void> {
    const productId = task.product_id ?? 0;
    const fallback = this.settings.defaultLocale;
    const product = await selectProductTree(tx, { locale: fallback, fallback }, productId);
    const success = outcome.action === 'product_generated';
    const status = success ? 'SUCCESS' : 'FAILURE';
    // docs/catalog-rules.md#delivery-body.
    const body = {
      action: outcome.action,
      status,
      reason_for_failure: outcome.reason,
      credits: { consumed: success ? 1 : 0, remaining: await this.credits.remaining(tx) },
      task: {
        id: this.settings.readings.tasks === 'unnamed' ? '' : String(task.id),
        status,
        created_at: task.created_at.toISOString(),
        updated_at: this.settings.clock().toISOString(),
        urls: product === undefined ? [] : sourceUrls(product, outcome, task.id),
      },
      product: product ?? null,
    };
    await this.deliveries.add(tx, {
      productId,
      taskId: task.id,
      action: outcome.action,
      body: JSON.stringify(body),
    });
  }

  /** The batch ends with its last product: FAILURE when none succeeded. */
  private async finishBatch(tx: Queryable, batchId: number): Promise<void> {
    // The lock makes the two last products see each other.
    if ((await this.tasks.lockOpen(tx, batchId)) === undefined) return;
    const { rows } = await tx.query<{ open: number; succeeded: number; failed: number }>(
      `SELECT count(*) FILTER (WHERE status IN ('PENDING', 'STARTED'))::integer AS open,
              count(*) FILTER (WHERE status = 'SUCCESS')::integer AS succeeded,
              count(*) FILTER (WHERE status = 'FAILURE')::integer AS failed
       FROM background_task WHERE parent_id = $1`,
      [batchId],
    );
    const { open = 0, succeeded = 0, failed = 0 } = rows[0] ?? {};
    if (open > 0) return;
    await this.tasks.finish(tx, batchId, succeeded === 0 ? 'FAILURE' : 'SUCCESS', {
      result: { succeeded, failed },
      reason: succeeded === 0 ? 'No product could be generated.' : null,
    });
  }
}

const NOTHING_WRITTEN = { name: null, description: null, html_description: null, open_attributes: null };

function sourceOf(product: ProductView, text: WrittenText, base: WrittenText | undefined): GenerationSource {
  return {
    name: text.name ?? base?.name ?? null,
    description: text.description ?? base?.description ?? null,
    htmlDescription: text.html_description ?? base?.html_description ?? null,
    brand: product.brand,
    category: product.category,
    attributes: text.open_attributes ?? base?.open_attributes ?? {},
    imageCount: product.images.length,
  };
}
