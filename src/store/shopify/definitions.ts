import { metafieldKey, metafieldName } from '../../domain/metafield-key.js';
import {
  type DefinitionOutcome,
  type MetafieldDefinition,
  type MetafieldOwner,
  type NewMetafieldDefinition,
} from '../../domain/metafield-definition.js';
import type { StoreWriteOptions } from '../../domain/store-port.js';
import { Remembered } from '../../runtime/remembered.js';
import type { ShopifyClient } from './client.js';
import { DEFINITION_CREATE, DEFINITIONS } from './documents.js';
import { pagesOf } from './pages.js';
import { definitionCreateData, definitionsData } from './schemas.js';

/** Merchants change definitions rarely, and every result of a night needs them. */
const REMEMBERED_MS = 600_000;

/** The store's names of the owners. */
const OWNER_TYPES = { product: 'PRODUCT', variant: 'PRODUCTVARIANT' } as const;

/** The merchant's definitions of metafields. */
export class MetafieldDefinitions {
  private readonly remembered: Remembered<readonly MetafieldDefinition[]>;

  constructor(
    private readonly client: ShopifyClient,
    now: () => number,
  ) {
    this.remembered = new Remembered(REMEMBERED_MS, now);
  }

  /** The definitions of the named metafields (`namespace.key`), as they were read at most ten minutes ago. */
  async read(
    names: readonly string[],
    owner: MetafieldOwner,
  ): Promise<ReadonlyMap<string, MetafieldDefinition>> {
    const found = new Map<string, MetafieldDefinition>();
    for (const namespace of new Set(names.map((name) => metafieldKey(name).namespace))) {
      for (const definition of await this.inNamespace(owner, namespace)) {
        const name = metafieldName(definition);
        if (names.includes(name)) found.set(name, definition);
      }
    }
    return found;
  }

  /** Pinned, so that the admin shows it on each product, as long as the store allows another pin. */
  async create(
    definition: NewMetafieldDefinition,
    options: StoreWriteOptions = {},
  ): Promise<DefinitionOutcome> {
    try {
      const pinned = await this.createOnce(definition, true, options);
      return pinned === 'no further pin' ? await this.createUnpinned(definition, options) : pinned;
    } finally {
      this.remembered.forget(`${definition.owner} ${definition.namespace}`);
    }
  }

  private async createUnpinned(
    definition: NewMetafieldDefinition,
    options: StoreWriteOptions,
  ): Promise<DefinitionOutcome> {
    const outcome = await this.createOnce(definition, false, options);
    return outcome === 'no further pin' ? { outcome: 'refused', reason: outcome } : outcome;
  }

  private async createOnce(
    { owner, namespace, key, name, type }: NewMetafieldDefinition,
    pin: boolean,
    options: StoreWriteOptions,
  ): Promise<DefinitionOutcome | 'no further pin'> {
    const definition = {
      ownerType: OWNER_TYPES[owner],
      namespace,
      key,
      name,
      type,
      pin,
      access: { storefront: 'PUBLIC_READ' },
    };
    const { data } = await this.client.run(DEFINITION_CREATE, { definition }, definitionCreateData, options);
    const { userErrors } = data.metafieldDefinitionCreate;
    const [error] = userErrors;
    if (error === undefined) return { outcome: 'created' };
    if (userErrors.some(({ code }) => code === 'TAKEN')) return { outcome: 'exists' };
    if (pin && userErrors.some(({ code }) => code === 'PINNED_LIMIT_REACHED')) return 'no further pin';
    return { outcome: 'refused', reason: error.message };
  }

  private inNamespace(owner: MetafieldOwner, namespace: string): Promise<readonly MetafieldDefinition[]> {
    return this.remembered.get(`${owner} ${namespace}`, () => this.readAll(owner, namespace));
  }

  private async readAll(owner: MetafieldOwner, namespace: string): Promise<readonly MetafieldDefinition[]> {
    const read = async (after: string | null) => {
      const variables = { owner: OWNER_TYPES[owner], namespace, after };
      return (await this.client.run(DEFINITIONS, variables, definitionsData)).data.metafieldDefinitions;
    };
    const all: MetafieldDefinition[] = [];
    for await (const { nodes } of pagesOf(read, (page) => page))
      all.push(...nodes.map(({ type, ...rest }) => ({ ...rest, type: type.name })));
    return all;
  }
}
