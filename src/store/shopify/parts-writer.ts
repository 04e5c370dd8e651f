import { CodedError } from '../../domain/errors.js';
import type { StoreWriteOptions, TargetWrite, WriteOutcome } from '../../domain/store-port.js';
import { imageOfTarget } from '../../domain/write-target.js';
import { written } from '../outcomes.js';
import { writeAllOrNothing } from './all-or-nothing.js';
import type { ShopifyClient } from './client.js';
import type { StoreDocument } from './document.js';
import { FILE_UPDATE, TAGS_ADD, TAGS_REMOVE } from './part-documents.js';
import { refusedWith } from './faults.js';
import { refusalDetails } from './refusal.js';
import { fileUpdateData, tagsData, type UserError } from './schemas.js';

/** Images per call. The store accepts up to 250 entries in a list. */
const IMAGES_PER_CALL = 100;
const IMAGE_GID = 'gid://shopify/MediaImage/';

/** Writes tags and the alternative texts of images. */
export class PartsWriter {
  constructor(private readonly client: ShopifyClient) {}

  /** All tags of the product afterwards. Throws `not_found` and `invalid`. */
  addTags(id: string, tags: readonly string[], options: StoreWriteOptions = {}): Promise<readonly string[]> {
    return this.changeTags(TAGS_ADD, id, tags, options);
  }

  async removeTags(id: string, tags: readonly string[], options: StoreWriteOptions = {}): Promise<void> {
    await this.changeTags(TAGS_REMOVE, id, tags, options);
  }

  private async changeTags(
    document: StoreDocument,
    id: string,
    tags: readonly string[],
    options: StoreWriteOptions,
  ): Promise<readonly string[]> {
    const { data } = await this.client.run(document, { id, tags }, tagsData, options);
    const { node, userErrors } = data.change;
    if (node === null)
      throw new CodedError('not_found', `the store has no product ${id}`, refusalDetails(userErrors));
    if (userErrors.length > 0)
      throw new CodedError('invalid', `the store refused tags of ${id}`, refusalDetails(userErrors));
    return node.tags;
  }

  /** The outcome of each image, in the given order. A null value empties the text. */
  imageAlts(
    writes: readonly TargetWrite[],
    options: StoreWriteOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    const send = (some: readonly TargetWrite[]): Promise<AltsAnswer> => this.setAlts(some, options);
    return writeAllOrNothing(writes, { most: IMAGES_PER_CALL, send, outcomeOf: writtenAlt });
  }

  private async setAlts(writes: readonly TargetWrite[], options: StoreWriteOptions): Promise<AltsAnswer> {
    const files = writes.map(({ target, value }) => ({ id: gidOf(target), alt: value ?? '' }));
    try {
      const { data } = await this.client.run(FILE_UPDATE, { files }, fileUpdateData, options);
      return { errors: data.fileUpdate.userErrors, stored: data.fileUpdate.files ?? [] };
    } catch (error) {
      if (!refusedWith(error, 'ACCESS_DENIED')) throw error;
      const message = 'the app may not change files: grant it write_files';
      const errors = files.map((_file, index) => ({ field: ['files', String(index)], message }));
      return { errors, stored: [] };
    }
  }
}

interface AltsAnswer {
  readonly errors: readonly UserError[];
  readonly stored: readonly StoredAlt[];
}

interface StoredAlt {
  readonly id: string;
  readonly alt: string | null;
}

function gidOf(target: string): string {
  return `${IMAGE_GID}${imageOfTarget(target) ?? ''}`;
}

function writtenAlt({ target }: TargetWrite, stored: readonly StoredAlt[]): WriteOutcome {
  const found = stored.findLast(({ id }) => id === gidOf(target));
  if (found !== undefined) return written(target, found.alt);
  const text = `the store set ${target} but does not show it`;
  throw new CodedError('transient', text, { outcomeUnknown: true });
}
