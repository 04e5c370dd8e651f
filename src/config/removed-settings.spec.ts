import { afterAll, expect, it } from '@jest/globals';
import { configDirectory, store, workspace } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

it.each([
  ['server.previousEncryptionKey', 'server: { previousEncryptionKey: "" }'],
  ['database.keepDays', 'database: { keepDays: 30 }'],
  ['workspaces.w.assumptions.maxPages', workspace('assumptions: { maxPages: 5 }')],
  ['stores.s.filter.giftCards', store('filter: { giftCards: true }')],
  ['stores.s.schedule.spread', store('schedule: { spread: 60m }')],
  ['storeTemplate.filter.giftCards', `storeTemplate:\n  filter: { giftCards: true }\n`],
])('a setting that was removed %s is an error that says what to do', (key, text) => {
  expect(files.refusal(text)).toContain(`${key}: no longer a setting; remove it: `);
});
