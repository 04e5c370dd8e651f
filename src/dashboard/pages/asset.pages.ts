import { Controller, Get, NotFoundException, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ASSETS } from '../assets.js';

/** Serves the style sheet and the script. They contain no secrets, and the sign-in page needs them. */
@Controller('assets')
export class AssetPages {
  @Get(':name')
  show(@Param('name') name: string, @Res() response: Response): void {
    const asset = ASSETS.find((each) => each.path === `/assets/${name}`);
    if (asset === undefined) throw new NotFoundException('This file does not exist.');
    response
      .set({ 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' })
      .send(asset.body);
  }
}
