import { Body, ConflictException, Get, Query } from '@nestjs/common';
import { ApiController, Change } from './api-routes.js';
import type { z } from 'zod';
import { Describe } from './describe.js';
import {
  slotBodySchema,
  slotQuerySchema,
  slotsSchema,
  WebhookSlotOperations,
  type Slot,
} from '../operations/webhook-slots.js';
import { Allow } from './allow.js';

type SlotBody = z.output<typeof slotBodySchema>;

/** The workspaces' webhook slots. 409 where one was left as it was: another system has it, or the service did not take the change. */
@ApiController('api/v1/webhook')
export class WebhookController {
  constructor(private readonly slots: WebhookSlotOperations) {}

  @Describe({
    summary: 'The webhook slots',
    answer: { name: 'WebhookSlots', schema: slotsSchema },
  })
  @Get()
  @Allow('viewer')
  async show(
    @Query({ schema: slotQuerySchema }) query: z.output<typeof slotQuerySchema>,
  ): Promise<{ items: Slot[] }> {
    return { items: await this.slots.show(query.workspace) };
  }

  @Describe({
    body: 'WebhookRequest',
    summary: 'Fill the slot',
    answer: { name: 'WebhookSlots', schema: slotsSchema },
    errors: [409],
  })
  @Change('register', 'admin', 'webhook register')
  async register(@Body({ schema: slotBodySchema }) body: SlotBody): Promise<{ items: Slot[] }> {
    return { items: allIn('ours', await this.slots.register(body)) };
  }

  @Describe({
    body: 'WebhookRequest',
    summary: 'Empty the slot',
    answer: { name: 'WebhookSlots', schema: slotsSchema },
    errors: [409],
  })
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
