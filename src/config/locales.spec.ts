import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory, store } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

describe('further locales', () => {
  it.each([['en-GB'], ['en-gb']])('are refused where one is the workspace’s own, spelt %s', (own) => {
    const content = store('writeBack: { locales: [fr, en-GB] }').replace(
      'auth: { apiToken: token } }',
      `auth: { apiToken: token }, locale: ${own} }`,
    );
    expect(files.refusal(content)).toMatch(
      /^stores\.s\.writeBack\.locales\[1\]: expected a language besides that of workspaces\.w\.locale/,
    );
  });

  it('are refused where one is named twice', () => {
    expect(files.refusal(store('writeBack: { locales: [fr, pt-BR, pt-br] }'))).toMatch(
      /^stores\.s\.writeBack\.locales: .*each locale once/,
    );
  });

  it('may be any but the workspace’s own', () => {
    const { config } = files.load(store('writeBack: { locales: [fr, pt-BR] }'));
    expect(config.stores['s']?.writeBack.locales).toEqual(['fr', 'pt-BR']);
  });
});
