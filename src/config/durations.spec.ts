import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory, store } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

describe('schedule.spread', () => {
  it.each([
    ['90s', 90_000],
    ['60m', 3_600_000],
    ['2h', 7_200_000],
    ['0', 0],
    ['""', 0],
  ])('takes %s as %d milliseconds', (text, expected) => {
    const { config } = files.load(store(`schedule: { spread: ${text} }`));
    expect(config.stores['s']?.schedule.spread).toBe(expected);
  });

  it.each(['"60"', '60', '13h', '1d', '-5m', '1.5h', 'an hour'])(
    'refuses %s and says what is expected',
    (text) => {
      expect(files.refusal(store(`schedule: { spread: ${text} }`))).toContain('stores.s.schedule.spread: ');
    },
  );

  it('names the form and the limit', () => {
    expect(files.refusal(store('schedule: { spread: 13h }'))).toBe(
      'stores.s.schedule.spread: expected a duration such as 90s, 60m or 2h, at most 12h (config.yaml:7)',
    );
  });
});
