import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory, workspace } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

describe('a setting that was removed', () => {
  it.each([
    ['concurrency', workspace('concurrency: 8')],
    ['assumptions.maxPages', workspace('assumptions: { maxPages: 5 }')],
  ])('%s is an error that says what to do', (key, text) => {
    expect(files.refusal(text)).toMatch(
      new RegExp(`^workspaces\\.w\\.${key}: no longer a setting; remove it: .*\\(config\\.yaml:\\d+\\)$`),
    );
  });
});
