import { ConflictException } from '@nestjs/common';
import { expect, it } from '@jest/globals';
import type { Slot, WebhookSlotOperations } from '../operations/webhook-slots.js';
import { WebhookController } from './webhook.controller.js';

const slotIs = (state: Slot['state']): WebhookController => {
  const slots = [{ workspace: 'default', state, detail: `it is ${state}` }];
  const work = (): Promise<Slot[]> => Promise.resolve(slots);
  const operations: Pick<WebhookSlotOperations, 'register' | 'remove'> = { register: work, remove: work };
  return new WebhookController(operations as WebhookSlotOperations);
};

it.each([
  ['register', 'foreign'],
  ['register', 'unknown'],
  ['remove', 'foreign'],
  ['remove', 'unknown'],
] as const)('%s of a slot that is %s afterwards is a conflict that says why', async (action, state) => {
  const answer = slotIs(state)[action]({ force: false });
  await expect(answer).rejects.toThrow(ConflictException);
  await expect(answer).rejects.toThrow(`workspace default: it is ${state}`);
});

it.each([
  ['register', 'ours'],
  ['remove', 'free'],
] as const)('%s answers with the slot that is %s afterwards', async (action, state) => {
  await expect(slotIs(state)[action]({ force: false })).resolves.toMatchObject({ items: [{ state }] });
});
