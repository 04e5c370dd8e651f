import { Body, ConflictException, Query } from '@nestjs/common';
import { ApiController, Change, Describe, Read } from './api-routes.js';
import type { z } from 'zod';
import {
  slotBodySchema,
  slotQuerySchema,
  WebhookSlotOperations,
  type Slot,
} from '../operations/webhook-slots.js';

type SlotBody = z.output<typeof slotBodySchema>;

/** The workspaces' webhook slots. 409 where one was left as it was: another system has it, or the service did not take the change. */
@ApiController('api/v1/webhook')
export class WebhookController {
  constructor(private readonly slots: WebhookSlotOperations) {}

  @Describe('The webhook slots', 'WebhookSlots', [404])
  @Read()
  async show(
    @Query({ schema: slotQuerySchema }) query: z.output<typeof slotQuerySchema>,
  ): Promise<{ items: Slot[] }> {
    return { items: await this.slots.show(query.workspace) };
  }

  @Describe('Fill the slot', 'WebhookSlots', [404, 409])
  @Change('register', 'admin', 'webhook register')
  async register(@Body({ schema: slotBodySchema }) body: SlotBody): Promise<{ items: Slot[] }> {
    return { items: allIn('ours', await this.slots.register(body)) };
  }

  @Describe('Empty the slot', 'WebhookSlots', [404, 409])
  @Change('remove', 'admin', 'webhook remove')
  async remove(@Body({ schema: slotBodySchema }) body: SlotBody): Promise<{ items: Slot[] }> {
    return { items: allIn('free', await this.slots.remove(body)) };
  }
}

function allIn(wanted: Slot['state'], slots: Slot[]): Slot[] {
  const left = slots.filter(({ state }) => state !== wanted);
  if (left.length === 0) return slots;
  throw new ConflictException({
    message: left.map(({ workspace, detail }) => `workspace ${workspace}: ${detail}`).join('; '),
    details: { items: slots },
  });
}
