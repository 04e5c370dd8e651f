import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory, workspace, WORKSPACE } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

describe('warnings', () => {
  it('says that webhooks need a public address and a secret, and goes on', () => {
    const { warnings } = files.load(WORKSPACE);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/^workspaces\.w\.webhook\.register: server\.publicUrl is not set/);
    expect(warnings[1]).toMatch(/^workspaces\.w\.webhook\.hmacSecret is not set/);
  });

  it.each([
    ['without a public address', 'webhook: { hmacSecret: 0123456789abcdef0123 }'],
    ['without a secret', 'webhook: { register: false }'],
  ])('says that a minimum of credits does not hold %s, because only webhooks name them', (_how, webhook) => {
    const limit = /^workspaces\.w\.generation\.minCreditsRemaining does not hold/;
    const { warnings } = files.load(workspace(webhook, 'generation: { minCreditsRemaining: 5 }'));
    expect(warnings).toContainEqual(expect.stringMatching(limit));
    expect(files.load(workspace(webhook)).warnings).not.toContainEqual(expect.stringMatching(limit));
  });

  it('says that a short window refuses genuine retries', () => {
    const { warnings } = files.load(workspace('webhook: { register: false, toleranceSeconds: 300 }'));
    expect(warnings).toEqual([
      expect.stringMatching(/^workspaces\.w\.webhook\.toleranceSeconds is under 669/),
    ]);
  });

  it('says that the base address lacks the documented prefix', () => {
    const { warnings } = files.load(
      workspace('baseUrl: https://catalog.test/v2', 'webhook: { register: false }'),
    );
    expect(warnings).toEqual([expect.stringMatching(/^workspaces\.w\.baseUrl does not end in \/api\/v1/)]);
  });
});
