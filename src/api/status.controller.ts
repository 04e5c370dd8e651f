import { ApiController, Describe, Read } from './api-routes.js';
import { StatusReader, type Status } from '../operations/status.js';

@ApiController('api/v1/status')
export class StatusController {
  constructor(private readonly reader: StatusReader) {}

  @Describe('Stores, last runs, backlog, dead letters, credits', 'Status')
  @Read()
  show(): Promise<Status> {
    return this.reader.read();
  }
}
