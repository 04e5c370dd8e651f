import { Controller, Get, NotFoundException } from '@nestjs/common';
import { messages } from '../messages.js';

/** Without an admin token there is no dashboard, and none of its addresses answer. */
@Controller()
export class OffPages {
  @Get()
  show(): never {
    throw new NotFoundException(messages.dashboardOff);
  }
}
