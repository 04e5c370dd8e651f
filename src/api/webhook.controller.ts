import { Body, ConflictException, Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { AdminGuard } from './admin.guard.js';
import { Describe } from './describe.js';
import {
  slotBodySchema,
  slotQuerySchema,
  slotsSchema,
  WebhookSlotOperations,
  type Slot,
} from '../operations/webhook-slots.js';
import { Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';

type SlotBody = z.output<typeof slotBodySchema>;

/** The workspaces' webhook slots. 409 where another system's URL was kept. */
@Controller('api/v1/webhook')
@UseGuards(AdminGuard)
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
  @Post('register')
  @Allow('admin')
  @Audited('webhook register')
  @HttpCode(200)
  async register(@Body({ schema: slotBodySchema }) body: SlotBody): Promise<{ items: Slot[] }> {
    return { items: unlessForeign(await this.slots.register(body)) };
  }

  @Describe({
    body: 'WebhookRequest',
    summary: 'Empty the slot',
    answer: { name: 'WebhookSlots', schema: slotsSchema },
    errors: [409],
  })
  @Post('remove')
  @Allow('admin')
  @Audited('webhook remove')
  @HttpCode(200)
  async remove(@Body({ schema: slotBodySchema }) body: SlotBody): Promise<{ items: Slot[] }> {
    return { items: unlessForeign(await this.slots.remove(body)) };
  }
}

function unlessForeign(slots: Slot[]): Slot[] {
  const foreign = slots.filter((slot) => slot.state === 'foreign');
  if (foreign.length === 0) return slots;
  throw new ConflictException({
    message: foreign.map(({ workspace, detail }) => `workspace ${workspace}: ${detail}`).join('; '),
    details: { items: slots },
  });
}
