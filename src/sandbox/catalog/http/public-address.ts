import { withoutTrailing } from '../../text.js';
import type { SandboxSettings } from '../settings.js';

export const API_PREFIX = '/api/v1';

/** The origin under which clients reach the service. It is known once the service listens. */
export class PublicAddress {
  private origin: string | null;

  constructor({ publicUrl }: SandboxSettings) {
    this.origin = publicUrl === null ? null : withoutTrailing(publicUrl, '/');
  }

  /** Called with the address that the service listens on; a configured public URL stays. */
  listening(origin: string): void {
    this.origin ??= origin;
  }

  get baseUrl(): string {
    return this.of(API_PREFIX);
  }

  /** Absolute URL of a path with its query. */
  of(path: string): string {
    if (this.origin === null) throw new Error('The sandbox does not listen yet');
    return this.origin + path;
  }
}
