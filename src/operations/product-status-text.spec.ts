import { describe, expect, it } from '@jest/globals';
import type {
  GenerationTaskEntity,
  StoreProductEntity,
  WriteBackEntity,
} from '../persistence/entities/index.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import type { PastAction } from '../persistence/history.repository.js';
import { stateOfProduct, whereItStands, type ProductFacts } from './product-status-text.js';

const AT = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 2, minute));

function link(over: Partial<StoreProductEntity> = {}): StoreProductEntity {
  return {
    externalId: 'shopify:s.myshopify.com:1',
    store: 'main',
    workspace: 'default',
    storeId: 'gid://shopify/Product/1',
    label: 'Lamp',
    handle: 'lamp',
    state: 'linked',
    catalogId: '7',
    creationTaskId: null,
    creationStartedAt: null,
    variantLinks: {},
    sourceFingerprint: 'f',
    pushedFields: {},
    catalogFields: null,
    seenFields: {},
    written: null,
    withheld: [],
    generationDue: false,
    newestResultAt: null,
    firstResultAt: null,
    writeLease: null,
    writeLeaseUntil: null,
    firstSeenAt: AT(0),
    lastSeenAt: AT(0),
    orphanedAt: null,
    ...over,
  };
}

function action(over: Partial<PastAction> = {}): PastAction {
  return {
    id: '1',
    runId: 'run',
    store: 'main',
    externalId: 'shopify:s.myshopify.com:1',
    label: 'Lamp',
    kind: 'create',
    catalogId: null,
    reason: 'new in the store',
    fields: [],
    withheld: [],
    state: 'applied',
    error: null,
    createdAt: AT(0),
    settledAt: AT(1),
    runKind: 'full',
    runTrigger: 'command',
    ...over,
  };
}

function task(over: Partial<GenerationTaskEntity> = {}): GenerationTaskEntity {
  return {
    id: 'task',
    store: 'main',
    workspace: 'default',
    externalId: 'shopify:s.myshopify.com:1',
    catalogId: '7',
    runId: null,
    state: 'succeeded',
    taskId: '9',
    taskIsShared: false,
    sourceFingerprint: 'f',
    seen: {},
    askedFields: null,
    reason: null,
    polls: 0,
    requestedAt: AT(2),
    answeredAt: AT(2),
    nextPollAt: AT(3),
    settledAt: null,
    settledBy: null,
    ...over,
  };
}

function writeBack(over: Partial<WriteBackEntity> = {}): WriteBackEntity {
  return Object.assign(Object.create(null) as WriteBackEntity, {
    id: 'wb',
    state: 'applied',
    reason: '1 field written',
    createdAt: AT(4),
    settledAt: AT(5),
    revertedAt: null,
    ...over,
  });
}

const facts = (over: Partial<ProductFacts> = {}): ProductFacts => ({
  link: link(),
  actions: [action()],
  tasks: [],
  writeBacks: [],
  ...over,
});

const CASES: [string, ProductFacts, RegExp][] = [
  ['only a delivery', facts({ link: null, actions: [] }), /^not linked: no run has planned it/],
  [
    'planned',
    facts({ link: null, actions: [action({ state: 'planned' })] }),
    /^not linked yet: create is planned/,
  ],
  [
    'refused by the catalog',
    facts({
      link: null,
      actions: [
        action({
          state: 'failed',
          error: { code: 'invalid', message: 'refused', fields: { sku: ['taken'] } },
        }),
      ],
    }),
    /^not in the catalog: refused; sku: taken$/,
  ],
  [
    'orphaned',
    facts({ link: link({ state: 'orphaned', orphanedAt: AT(9) }) }),
    /^gone from the store since 2026-01-01T02:09/,
  ],
  [
    'pending',
    facts({ link: link({ state: 'pending', creationStartedAt: AT(1) }) }),
    /creating it in the background/,
  ],
  [
    'a failed update comes before its content',
    facts({ actions: [action(), action({ kind: 'update', state: 'failed' })], writeBacks: [writeBack()] }),
    /^its last change did not reach the catalog/,
  ],
  ['never asked for', facts(), /content was never asked for$/],
  ['due', facts({ link: link({ generationDue: true }) }), /content is due/],
  [
    'asked for',
    facts({ tasks: [task({ state: 'requested' })] }),
    /^waiting for content that was asked for at 2026-01-01T02:02/,
  ],
  [
    'unanswered',
    facts({ tasks: [task({ state: 'requested', answeredAt: null })] }),
    /the call was not answered/,
  ],
  ['failed', facts({ tasks: [task({ state: 'failed', reason: 'no luck' })] }), /generation failed: no luck$/],
  [
    'without sources, with the settings that name one',
    facts({ tasks: [task({ state: 'no_urls', reason: 'No source was found.' })] }),
    /nothing could be generated: No source was found; tell the catalog where to read about it: mapping\.sourceUrl or mapping\.referenceString$/,
  ],
  ['given up', facts({ tasks: [task({ state: 'abandoned' })] }), /was given up/],
  ['nothing to write', facts({ tasks: [task()] }), /nothing of it is to be written/],
  ['written', facts({ tasks: [task()], writeBacks: [writeBack()] }), /^content was written/],
  [
    'asked for anew after it was written',
    facts({ tasks: [task({ requestedAt: AT(8), state: 'requested' })], writeBacks: [writeBack()] }),
    /^waiting for content/,
  ],
  [
    'failed anew after it was written',
    facts({ tasks: [task({ requestedAt: AT(8), state: 'failed' })], writeBacks: [writeBack()] }),
    /generation failed/,
  ],
  [
    'to review',
    facts({ writeBacks: [writeBack({ state: 'pending_review' })] }),
    /its content waits for review$/,
  ],
  ['ready', facts({ writeBacks: [writeBack({ state: 'ready', reason: null })] }), /about to be written$/],
  ['the merchant’s', facts({ writeBacks: [writeBack({ state: 'conflicted' })] }), /^left to the merchant/],
  ['skipped', facts({ writeBacks: [writeBack({ state: 'skipped' })] }), /^nothing was written to the store/],
  ['not written', facts({ writeBacks: [writeBack({ state: 'failed' })] }), /could not be written/],
  ['rejected', facts({ writeBacks: [writeBack({ state: 'rejected' })] }), /^its content was rejected/],
  [
    'undone',
    facts({ writeBacks: [writeBack({ state: 'reverted', revertedAt: AT(6) })] }),
    /its last write-back was reverted at/,
  ],
];

const withheld: WithheldIdentifier[] = [
  {
    ...{ kind: 'sku', value: 'A', owner: 'x', reason: 'sku A is also used by y' },
    holder: { whose: 'this_store', externalIds: [], catalogId: null },
  },
];

describe('the standing of a product', () => {
  it.each(CASES)('%s', (_name, product, expected) => {
    expect(whereItStands(product)).toMatch(expected);
  });

  it('names what is withheld, whatever else there is to say', () => {
    expect(whereItStands(facts({ link: link({ withheld, state: 'conflicted' }) }))).toMatch(
      /; withheld from the catalog: sku A is also used by y$/,
    );
  });

  it('names what is withheld after a sentence of the service, without the full stop between', () => {
    const tasks = [task({ state: 'failed', reason: 'No luck.' })];
    expect(whereItStands(facts({ link: link({ withheld, state: 'conflicted' }), tasks }))).toMatch(
      /generation failed: No luck; withheld from the catalog: sku A/,
    );
  });
});

describe('the state of a product in a word', () => {
  it.each([
    ['live', { tasks: [task()], writeBacks: [writeBack()] }],
    ['review', { tasks: [task()], writeBacks: [writeBack({ state: 'pending_review' })] }],
    ['left', { tasks: [task()], writeBacks: [writeBack({ state: 'reverted' })] }],
    ['no_sources', { tasks: [task({ state: 'no_urls' })] }],
    ['failed', { tasks: [task({ state: 'abandoned' })] }],
    ['generating', { tasks: [task({ state: 'requested' })], writeBacks: [writeBack()] }],
    ['waiting', { link: link({ generationDue: true }) }],
    ['no_content', {}],
    ['shared', { link: link({ withheld, state: 'conflicted' }) }],
    ['gone', { link: link({ state: 'orphaned' }) }],
    ['creating', { link: link({ state: 'pending' }) }],
    ['not_sent', { actions: [action({ state: 'failed' })] }],
  ] as const)('is %s', (state, over) => {
    expect(stateOfProduct(facts(over as Partial<ProductFacts>))).toBe(state);
  });
});
