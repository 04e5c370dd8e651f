import { expect, it } from '@jest/globals';
import { IMAGE_ALTS } from '../../domain/write-target.js';
import { compareWithLive } from '../../operations/write-back-comparison.js';
import type { Visit } from '../visit.js';
import { WriteBackPages } from './write-back.pages.js';

const alts = { target: IMAGE_ALTS, value: 'A shirt', type: null, from: 'sections.alt', raw: 'A shirt' };

/** A conflicted write-back of alternative texts: its journal names each image, and its page all of them at once. */
async function decided(decision: 'approve' | 'save'): Promise<{ only: unknown; to: string; notice: string }> {
  let only: unknown = null;
  const operations = {
    decide: (ids: string[], _decision: string, by: { only: unknown }) => {
      ({ only } = by);
      return Promise.resolve(ids.map((id) => ({ id, ok: true, state: 'ready', detail: 'approved' })));
    },
  };
  const texts = {
    open: () =>
      Promise.resolve({
        row: { id: 'w', fields: [{ target: 'image-alt:7', intended: null }], declined: [] },
        label: 'Shirt',
        editable: new Set(),
        comparison: compareWithLive({ intended: [alts] }, { problem: 'no answer' }),
      }),
  };
  const parts = [operations, texts, {}] as unknown as ConstructorParameters<typeof WriteBackPages>;
  const visit = { name: 'admin', goTo: (to: string, notice: string) => ({ to, notice }) } as unknown as Visit;
  const form = { decision, field: [IMAGE_ALTS], reason: '' };
  const next = (await new WriteBackPages(...parts).decide('w', {}, form, visit)) as unknown;
  return { only, ...(next as { to: string; notice: string }) };
}

it('accepts the alternative texts of images that an attempt has looked at before', async () => {
  const { only, notice } = await decided('approve');
  expect(notice).toContain('approved');
  expect(only).toEqual([IMAGE_ALTS]);
});

it('keeps their tick when an edit is saved', async () => {
  expect((await decided('save')).to).toContain('ticks=0');
});
