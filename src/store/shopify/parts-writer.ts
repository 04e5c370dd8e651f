import { CodedError } from '../../domain/errors.js';
import type { StoreWriteOptions } from '../../domain/store-port.js';
import type { ImageAltOutcome, ImageAltWrite } from './api-types.js';
import type { ShopifyClient } from './client.js';
import type { StoreDocument } from './document.js';
import { FILE_UPDATE, TAGS_ADD, TAGS_REMOVE } from './part-documents.js';
import { refusedWith } from './faults.js';
import { entryIndex, refusalDetails } from './refusal.js';
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

  /** The outcome of each entry. fileUpdate writes all or nothing, so refused entries are removed and the rest is sent again. */
  async imageAlts(
    writes: readonly ImageAltWrite[],
    options: StoreWriteOptions = {},
  ): Promise<readonly ImageAltOutcome[]> {
    const outcomes: ImageAltOutcome[] = [];
    for (let at = 0; at < writes.length; at += IMAGES_PER_CALL)
      outcomes.push(...(await this.setTogether(writes.slice(at, at + IMAGES_PER_CALL), options)));
    return outcomes;
  }

  private async setTogether(
    writes: readonly ImageAltWrite[],
    options: StoreWriteOptions,
  ): Promise<ImageAltOutcome[]> {
    const refused: ImageAltOutcome[] = [];
    let open = writes;
    while (open.length > 0) {
      const { errors, stored } = await this.setOnce(open, options);
      if (errors.length === 0) {
        const alts = new Map(stored.map(({ id, alt }) => [id, alt]));
        return [...refused, ...open.map(({ image }) => written(image, alts))];
      }
      const named = new Map<ImageAltWrite, string>();
      for (const error of errors) {
        const write = open[entryIndex(error) ?? -1];
        if (write !== undefined) named.set(write, error.message);
      }
      // The store names no entry, so the refusal holds for all.
      const all = new Map(open.map((write) => [write, errors[0]?.message ?? 'refused']));
      const reasons = named.size === 0 ? all : named;
      for (const [{ image }, reason] of reasons) refused.push({ image, outcome: 'refused', reason });
      open = open.filter((write) => !reasons.has(write));
    }
    return refused;
  }

  private async setOnce(
    writes: readonly ImageAltWrite[],
    options: StoreWriteOptions,
  ): Promise<{
    readonly errors: readonly Pick<UserError, 'field' | 'message'>[];
    readonly stored: readonly { readonly id: string; readonly alt: string | null }[];
  }> {
    const files = writes.map(({ image, alt }) => ({ id: `${IMAGE_GID}${image}`, alt }));
    try {
      const { data } = await this.client.run(FILE_UPDATE, { files }, fileUpdateData, options);
      return { errors: data.fileUpdate.userErrors, stored: data.fileUpdate.files ?? [] };
    } catch (error) {
      if (!refusedWith(error, 'ACCESS_DENIED')) throw error;
      return { errors: [{ message: 'the app may not change files: grant it write_files' }], stored: [] };
    }
  }
}

function written(image: string, alts: ReadonlyMap<string, string | null>): ImageAltOutcome {
  const alt = alts.get(`${IMAGE_GID}${image}`);
  if (alt !== undefined) return { image, outcome: 'written', alt };
  const text = `the store set the alternative text of image ${image} but does not show it`;
  throw new CodedError('transient', text, { outcomeUnknown: true });
}
