import { describe, expect, it } from '@jest/globals';
import {
  codesMetWith,
  ERROR_POLICY,
  isMetWith,
  pausedSide,
  reactionTo,
  whoseGenerationError,
  type Stage,
} from './error-policy.js';
import { CodedError, type ErrorCode } from './errors.js';

const CODES: readonly ErrorCode[] = [
  'auth',
  'throttled',
  'transient',
  'conflict',
  'not_found',
  'invalid',
  'unavailable',
  'misconfigured',
];

/**
 * The reaction by stage and code, in the order of CODES. It is a second copy on purpose, so that no cell changes
 * unnoticed.
 */
const EXPECTED: Record<Stage, string> = {
  run: 'pause wait wait retry retry give_up pause give_up',
  apply: 'pause retry retry owe owe owe owe owe',
  task: 'give_up wait wait give_up give_up give_up give_up give_up',
  variants: 'give_up retry retry retry give_up give_up give_up give_up',
  generate: 'wait wait wait give_up give_up give_up give_up give_up',
  poll: 'wait wait wait owe owe owe owe owe',
  interpret: 'retry retry retry give_up give_up give_up give_up give_up',
  'write-back': 'pause retry retry give_up give_up give_up pause wait',
};
const STAGES = Object.keys(ERROR_POLICY) as Stage[];

describe('the error table', () => {
  it('has no stage that this test does not know', () => {
    expect(STAGES.sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(
    STAGES.flatMap((stage) =>
      CODES.map((code, index) => ({ stage, code, reaction: EXPECTED[stage].split(' ')[index] ?? '' })),
    ),
  )('$stage: $code means $reaction', ({ stage, code, reaction }) => {
    const error = new CodedError(code, 'refused');
    expect(reactionTo(stage, error)).toBe(reaction);
    expect(ERROR_POLICY[stage][code]).toBe(reaction);
  });

  it('gives no reaction to an error without a code', () => {
    expect(isMetWith(new Error('refused'), 'interpret', 'retry', 'give_up')).toBe(false);
    expect(isMetWith(new CodedError('transient', 'reset'), 'interpret', 'retry')).toBe(true);
    expect(isMetWith(new CodedError('transient', 'reset'), 'interpret', 'give_up')).toBe(false);
  });

  it('lists the codes of a reaction for queries', () => {
    expect(codesMetWith('apply', 'retry', 'pause').sort()).toEqual(['auth', 'throttled', 'transient']);
    expect(codesMetWith('write-back', 'wait')).toEqual(['misconfigured']);
    expect(codesMetWith('task', 'retry')).toEqual([]);
  });
});

describe('the side to pause', () => {
  const refused = (side?: 'store' | 'catalog'): CodedError =>
    new CodedError('auth', 'the token is revoked', side === undefined ? {} : { side });

  it('is the side that refused the credentials', () => {
    expect(pausedSide('run', refused('store'))).toBe('store');
    expect(pausedSide('run', refused('catalog'))).toBe('catalog');
    expect(pausedSide('apply', refused('store'))).toBe('store');
  });

  it('is the side that the stage uses when the error names none', () => {
    expect(pausedSide('apply', refused())).toBe('catalog');
    expect(pausedSide('write-back', refused())).toBe('store');
    expect(pausedSide('run', refused())).toBeNull();
  });

  it('is known for every stage that pauses, but a run, which uses both sides', () => {
    const pausing = STAGES.filter((stage) => codesMetWith(stage, 'pause').length > 0);
    expect(pausing.filter((stage) => pausedSide(stage, refused()) === null)).toEqual(['run']);
  });

  it('is none when the stage does not pause', () => {
    expect(pausedSide('generate', refused('catalog'))).toBeNull();
    expect(pausedSide('run', new CodedError('transient', 'reset', { side: 'store' }))).toBeNull();
  });
});

describe('an error of a generation call', () => {
  const productFields = new Set(['product_ids']);
  const named = { 'product_ids.3': ['unknown product'] };
  const beside = { language: ['not a language'], ...named };

  it.each<[string, ErrorCode, Record<string, string[]> | undefined, boolean, string]>([
    ['that may pass is the workspace’s', 'transient', undefined, true, 'workspace'],
    ['of the credentials is the workspace’s', 'auth', named, false, 'workspace'],
    ['of a setting is the call’s', 'misconfigured', named, false, 'call'],
    ['that names products is the product’s', 'invalid', named, false, 'product'],
    ['that names products among others is the product’s', 'invalid', beside, false, 'product'],
    [
      'that names another field is the call’s for several products',
      'invalid',
      { body: ['x'] },
      false,
      'call',
    ],
    ['that names nothing is the call’s for several products', 'invalid', undefined, false, 'call'],
    ['that names nothing is unclear for one product', 'invalid', undefined, true, 'unclear'],
    ['about a missing thing is unclear', 'not_found', undefined, false, 'unclear'],
    ['that refuses products by a missing thing is the product’s', 'not_found', named, false, 'product'],
  ])('%s (%s)', (_what, code, fields, isAlone, whose) => {
    const error = new CodedError(code, 'refused', fields === undefined ? {} : { fields });
    expect(whoseGenerationError(error, { isAlone, productFields })).toBe(whose);
  });
});

describe('the side of an error', () => {
  it('is set once: what is nearest to the source knows best', () => {
    const error = new CodedError('auth', 'the token is revoked');
    expect(error.side).toBeNull();
    expect(error.raisedBy('store')).toBe(error);
    expect(error.raisedBy('catalog').side).toBe('store');
  });
});
