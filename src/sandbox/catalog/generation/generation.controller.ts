import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { BearerGuard, RequiresScope } from '../auth/bearer.guard.js';
import { parseOrRefuse } from '../http/errors.js';
import { GenerationService } from './generation.service.js';

const MAX_PRODUCTS = 1000;

export const generationRequest = z.object({
  product_ids: z.array(z.int().min(1).max(2_147_483_647)).min(1).max(MAX_PRODUCTS),
});
export const taskAnswer = z.object({ task_id: z.string() });

/** catalog-api "Generation": its path and payload are this service's own. */
@Controller('products/generate')
@UseGuards(BearerGuard)
@RequiresScope('products')
export class GenerationController {
  constructor(private readonly generation: GenerationService) {}

  @Post()
  @HttpCode(202)
  async generate(@Body() body: unknown): Promise<z.infer<typeof taskAnswer>> {
    const { product_ids: productIds } = parseOrRefuse(generationRequest, body);
    return { task_id: String(await this.generation.request(productIds)) };
  }
}
