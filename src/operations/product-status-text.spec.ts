import { describe, expect, it } from '@jest/globals';
import type { GenerationTaskEntity } from '../persistence/entities/index.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import type { PastAction } from '../persistence/history.repository.js';
import type { WriteBackRow } from '../persistence/listing.repository.js';
import {
  stateOfProduct,
  whereItStands,
  type ProductFacts,
  type StandingLink,
} from './product-status-text.js';

const AT = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 2, minute));

const link = (over: Partial<StandingLink> = {}): StandingLink => ({
  ...{
    state: 'linked',
    withheld: [],
    orphanedAt: null,
    creationStartedAt: null,
    generationDue: false,
    catalogId: '7',
  },
  ...over,
});

/** Rows with the columns that a standing depends on. */
const action = (over: Partial<PastAction> = {}): PastAction =>
  ({ kind: 'create', state: 'applied', error: null, ...over }) as PastAction;
const task = (over: Partial<GenerationTaskEntity> = {}): GenerationTaskEntity =>
  ({
    ...{ state: 'succeeded', reason: null, requestedAt: AT(2), answeredAt: AT(2) },
    ...over,
  }) as GenerationTaskEntity;
const writeBack = (over: Partial<WriteBackRow> = {}): WriteBackRow =>
  ({
    ...{ state: 'applied', reason: '1 field written', createdAt: AT(4), settledAt: AT(5), revertedAt: null },
    ...over,
  }) as WriteBackRow;

const facts = (over: Partial<ProductFacts> = {}): ProductFacts => ({
  link: link(),
  actions: [action()],
  tasks: [],
  writeBacks: [],
  ...over,
});

const CASES: [string, Partial<ProductFacts>, RegExp][] = [
  ['only a delivery', { link: null, actions: [] }, /^not linked: no run has planned it/],
  ['planned', { link: null, actions: [action({ state: 'planned' })] }, /^not linked yet: create is planned/],
  [
    'refused by the catalog',
    {
      link: null,
      actions: [
        action({
          state: 'failed',
          error: { code: 'invalid', message: 'refused', fields: { sku: ['taken'] } },
        }),
      ],
    },
    /^not in the catalog: refused; sku: taken$/,
  ],
  [
    'orphaned, and deleted in the catalog',
    { link: link({ state: 'orphaned', orphanedAt: AT(9), catalogId: null }) },
    /^gone from the store since 2026-01-01T02:09:00.000Z; it has no catalog product any more$/,
  ],
  ['orphaned', { link: link({ state: 'orphaned', orphanedAt: AT(9) }) }, /^gone from the store since/],
  ['pending', { link: link({ state: 'pending', creationStartedAt: AT(1) }) }, /in the background/],
  [
    'a failed update comes before its content',
    { actions: [action(), action({ kind: 'update', state: 'failed' })], writeBacks: [writeBack()] },
    /^its last change did not reach the catalog/,
  ],
  ['never asked for', {}, /content was never asked for$/],
  ['due', { link: link({ generationDue: true }) }, /content is due/],
  ['asked for', { tasks: [task({ state: 'requested' })] }, /^waiting for content that was asked for at/],
  ['unanswered', { tasks: [task({ state: 'requested', answeredAt: null })] }, /the call was not answered/],
  ['failed', { tasks: [task({ state: 'failed', reason: 'no luck' })] }, /generation failed: no luck$/],
  [
    'without sources, with the settings that name one',
    { tasks: [task({ state: 'no_urls', reason: 'No source was found.' })] },
    /nothing could be generated: No source was found; tell the catalog where to read about it: mapping\.sourceUrl or mapping\.referenceString$/,
  ],
  ['given up', { tasks: [task({ state: 'abandoned' })] }, /was given up/],
  ['nothing to write', { tasks: [task()] }, /nothing of it is to be written/],
  ['written', { tasks: [task()], writeBacks: [writeBack()] }, /^content was written/],
  [
    'asked for anew after it was written',
    { tasks: [task({ requestedAt: AT(8), state: 'requested' })], writeBacks: [writeBack()] },
    /^waiting for content/,
  ],
  [
    'failed anew after it was written',
    { tasks: [task({ requestedAt: AT(8), state: 'failed' })], writeBacks: [writeBack()] },
    /generation failed/,
  ],
  ['to review', { writeBacks: [writeBack({ state: 'pending_review' })] }, /its content waits for review$/],
  ['ready', { writeBacks: [writeBack({ state: 'ready', reason: null })] }, /about to be written$/],
  ['the merchant’s', { writeBacks: [writeBack({ state: 'conflicted' })] }, /^left to the merchant/],
  ['skipped', { writeBacks: [writeBack({ state: 'skipped' })] }, /^nothing was written to the store/],
  ['not written', { writeBacks: [writeBack({ state: 'failed' })] }, /could not be written/],
  ['rejected', { writeBacks: [writeBack({ state: 'rejected' })] }, /^its content was rejected/],
  ['undone', { writeBacks: [writeBack({ state: 'reverted', revertedAt: AT(6) })] }, /was reverted at/],
];

const withheld: WithheldIdentifier[] = [
  {
    ...{ kind: 'sku', value: 'A', owner: 'x', reason: 'sku A is also used by y' },
    holder: { whose: 'this_store', externalIds: [], catalogId: null },
  },
];

describe('the standing of a product', () => {
  it.each(CASES)('%s', (_name, product, expected) => {
    expect(whereItStands(facts(product))).toMatch(expected);
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
] as [string, Partial<ProductFacts>][])('the state of a product in a word is %s', (state, over) => {
  expect(stateOfProduct(facts(over))).toBe(state);
});
