import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { ProductSnapshot } from '../../../src/domain/snapshot.js';
import type {
  LiveProduct,
  StoreConnector,
  StoreEvents,
  TargetWrite,
  WriteOutcome,
} from '../../../src/domain/store-port.js';
import type { Received, Receiver } from '../receiver.js';

export interface NewProduct {
  readonly title: string;
  readonly descriptionHtml?: string;
  readonly isDraft?: boolean;
}

/** The merchant's hands on the shop, by the shop's own API. Products are named by the connector's ids. */
export interface Shopkeeper {
  create(product: NewProduct): Promise<string>;
  edit(id: string, texts: { readonly title?: string; readonly descriptionHtml?: string }): Promise<void>;
  /** For good. */
  remove(id: string): Promise<void>;
}

/** What a kind of store can do. The suite proves both: what it can, and what it cannot. */
export interface Abilities {
  /** Whether the store itself refuses a text that was changed since it was read. */
  readonly guardsTexts: boolean;
  /** Whether the connector reads a text again right before it writes it, and leaves one that was changed. */
  readonly looksBeforeTexts: boolean;
  /** Whether an event tells of a product that was deleted for good. */
  readonly announcesDeletes: boolean;
  /** Whether a write of the same value counts as a change: an event comes, and the read of changes shows it. */
  readonly announcesNoOps: boolean;
  /** Whether the store takes a metafield of any type of text without a definition. */
  readonly takesFreeText: boolean;
}

/** What only an emulator lets a test do. */
export interface Emulator {
  /** Puts in as many products as a read by pages needs to have several. */
  fill(count: number): readonly string[];
  /** Runs before each request of a read, where reads have several. */
  duringRequests(act: () => void): void;
  edit(id: string, texts: { readonly title?: string; readonly descriptionHtml?: string }): void;
  remove(id: string): void;
  /** From now on a whole read cannot be proved; null where nothing keeps one from its proof. */
  breakWholeRead: (() => void) | null;
  /** The next request is refused because there were too many. */
  throttle(): void;
  /** The next write is carried out, and its answer is lost. */
  loseAnswerOfWrite(): void;
  /** Runs when a write has arrived and is not carried out yet; null where nothing can come between. */
  beforeWrite: ((act: () => void) => void) | null;
  revoke(): void;
  /** Requests that changed a product. */
  writes(): number;
  /** Sends what is queued. */
  settle(): Promise<void>;
  /** Its events are signed with it. */
  readonly webhookSecret: string;
}

export interface StoreSubject {
  readonly kind: string;
  readonly connector: StoreConnector;
  /** What a configuration says of the store. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly events: Pick<StoreEvents, 'verify' | 'products'>;
  readonly keeper: Shopkeeper;
  readonly can: Abilities;
  /** A metafield of the product in which sections may stand, and the type that is written. */
  readonly section: { readonly target: string; readonly type: string | null };
  /** A write that the store, or its connector, refuses for itself alone. */
  readonly refused: { readonly target: string; readonly value: string; readonly type: string | null };
  /** Null where the shop cannot reach this process. */
  readonly receiver: Receiver | null;
  readonly emulator: Emulator | null;
  close(): Promise<void>;
}

/** The tools of a rule's test. Products that it makes are removed when the suite ends. */
export class StoreContract {
  private readonly created = new Set<string>();
  readonly connector: StoreConnector;

  constructor(
    readonly subject: StoreSubject,
    private readonly waitMs: number,
  ) {
    ({ connector: this.connector } = subject);
  }

  get emulator(): Emulator {
    if (this.subject.emulator === null) throw new Error('This test needs an emulator');
    return this.subject.emulator;
  }

  readonly unique = (prefix = 'contract'): string => `${prefix} ${randomBytes(6).toString('hex')}`;

  async create(product: Partial<NewProduct> = {}): Promise<string> {
    const id = await this.subject.keeper.create({
      title: this.unique(),
      descriptionHtml: '<p>Good.</p>',
      ...product,
    });
    this.created.add(id);
    return id;
  }

  async live(id: string, ...targets: string[]): Promise<LiveProduct> {
    const live = await this.connector.readTargets(id, targets);
    if (live === null) throw new Error(`${id} is gone`);
    return live;
  }

  async value(id: string, target: string): Promise<string | null> {
    return (await this.live(id, target)).values.get(target)?.value ?? null;
  }

  /** The write of a value over the one that was read. */
  over(live: LiveProduct, target: string, value: string | null, type: string | null = null): TargetWrite {
    const { value: expected = null, token = null } = live.values.get(target) ?? {};
    return { target, value, expected, token, type };
  }

  async write(id: string, ...writes: TargetWrite[]): Promise<WriteOutcome[]> {
    const outcomes: WriteOutcome[] = [];
    for await (const some of this.connector.write(id, writes)) outcomes.push(...some);
    return outcomes;
  }

  async snapshot(id: string): Promise<ProductSnapshot> {
    const [product] = await this.connector.readProducts([id]);
    if (!product) throw new Error(`${id} is gone`);
    return product.snapshot();
  }

  /** A whole read: the ids in the order in which they came, and how it ended. `during` runs as often as the read gives way. */
  async whole(during: () => void = () => undefined): Promise<WholeRead> {
    const ids: string[] = [];
    let end: WholeRead['end'] | null = null;
    this.subject.emulator?.duringRequests(during);
    const read = this.connector.readWhole(null, () => Promise.resolve(), { onWaiting: during });
    for await (const part of read) {
      expect(end).toBeNull();
      if ('products' in part) ids.push(...part.products.map(({ storeId }) => storeId));
      else end = part;
      during();
    }
    this.subject.emulator?.duringRequests(() => undefined);
    if (end === null) throw new Error('the read did not say how it ended');
    return { ids, end };
  }

  async changedSince(since: Date): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const products of this.connector.readChanged(since))
      for (const { storeId } of products) ids.add(storeId);
    return ids;
  }

  /** The signed events about a product that came to a path; waits for at least `count`. */
  async eventsOf(path: string, id: string, count: number): Promise<readonly Received[]> {
    const { receiver, events } = this.subject;
    if (receiver === null) throw new Error('This test needs a receiver');
    const found = (): readonly Received[] =>
      receiver
        .at(path)
        .filter(
          ({ headers, body }) =>
            events.verify(headers, body) === 'signed' && events.products(body).includes(id),
        );
    for (const deadline = Date.now() + this.waitMs; found().length < count && Date.now() < deadline;) {
      await this.subject.emulator?.settle();
      await sleep(20);
    }
    return found();
  }

  /** Removes the products of the tests; answers those that are still there. */
  async cleanUp(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const id of this.created) {
      await this.subject.keeper.remove(id).catch(() => undefined);
      const [product] = await this.connector.readProducts([id]);
      if (product) left.push(id);
    }
    return left;
  }
}

export interface WholeRead {
  readonly ids: readonly string[];
  readonly end: { readonly complete: true } | { readonly complete: false; readonly why: string };
}

/** `emulator`: a fault, or a change at a moment that only an emulator lets a test choose. `deliveries`: the shop reaches this process. */
export type Need = 'emulator' | 'deliveries';
export type StoreRule = (
  rule: string,
  test: (contract: StoreContract) => Promise<void>,
  needs?: readonly Need[],
) => void;
