import { Controller, Get, NotFoundException } from '@nestjs/common';

/** Without an admin token there is no dashboard, and nothing of it answers. */
@Controller()
export class OffPages {
  @Get()
  show(): never {
    throw new NotFoundException('the dashboard is off: server.adminToken is not set');
  }
}
