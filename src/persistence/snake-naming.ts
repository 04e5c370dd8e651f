import { DefaultNamingStrategy } from 'typeorm';

/** `nextPollAt` in code is `next_poll_at` in SQL, so that statements by hand and entities speak of the same columns. */
export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
