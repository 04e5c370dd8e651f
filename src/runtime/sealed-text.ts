import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** Names a key without showing anything of it. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('key id').update(key).digest('hex').slice(0, 8);
}

/**
 * Seals texts with AES-256-GCM. A sealed text is bound to its purpose, such as the shop and the column, so that it opens in no other
 * place. The first key seals, and all keys open: that is how a key is replaced.
 */
export class Sealer {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #current: string;

  /** Keys of 32 bytes, the current one first. */
  constructor(
    current: Buffer,
    previous: readonly Buffer[] = [],
    private readonly newNonce: () => Buffer = () => randomBytes(NONCE_BYTES),
  ) {
    this.#current = idOf(current);
    this.#keys = new Map([...previous, current].map((key) => [idOf(key), key]));
  }

  seal(text: string, purpose: string): string {
    const key = this.#keys.get(this.#current);
    if (key === undefined) throw new Error('the current key is missing');
    const nonce = this.newNonce();
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `v1.${this.#current}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /** Null for a text that none of the keys sealed for this purpose, or that was changed. */
  open(sealed: string, purpose: string): string | null {
    const [, id = '', data = ''] = FORM.exec(sealed) ?? [];
    const key = this.#keys.get(id);
    const bytes = Buffer.from(data, 'base64url');
    if (key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
      return Buffer.concat(opened).toString('utf8');
    } catch {
      // The library throws when the tag does not fit.
      return null;
    }
  }

  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`v1.${this.#current}.`);
  }
}
