import { Controller, Get, NotFoundException } from '@nestjs/common';

/** Without an admin token there is no dashboard, and none of its addresses answer. */
@Controller()
export class OffPages {
  @Get()
  show(): never {
    throw new NotFoundException('The dashboard is off. Set server.adminToken to use it.');
  }
}
