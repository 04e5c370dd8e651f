import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { BearerGuard, RequiresScope } from '../auth/bearer.guard.js';
import { parseOrRefuse } from '../http/errors.js';
import { SandboxSettings } from '../settings.js';
import { GenerationService } from './generation.service.js';

const MAX_PRODUCTS = 1000;

const generationRequest = z.object({
  product_ids: z.array(z.int().min(1).max(2_147_483_647)).min(1).max(MAX_PRODUCTS),
});

/** docs/catalog-rules.md#generation: its path and payload are this service's own. */
@Controller('products/generate')
@UseGuards(BearerGuard)
@RequiresScope('products')
export class GenerationController {
  constructor(
    private readonly generation: GenerationService,
    private readonly settings: SandboxSettings,
  ) {}

  @Post()
  @HttpCode(202)
  async generate(@Body() body: unknown): Promise<{ task_id: string } | { detail: string }> {
    const { product_ids: productIds } = parseOrRefuse(generationRequest, body);
    const taskId = await this.generation.request(productIds);
    return this.settings.readings.tasks === 'unnamed'
      ? { detail: 'Generation was started.' }
      : { task_id: String(taskId) };
  }
}
