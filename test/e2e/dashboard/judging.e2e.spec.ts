import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inState, openDashboard, Visitor, waiting, type Waiting } from './dashboard-world.js';
import { until, type World } from '../../support/e2e-world.js';

let world: World;
let visitor: Visitor;

beforeAll(async () => {
  world = await openDashboard({
    settings: { stores: { main: { writeBack: { mode: 'review', gates: { forbid: ['(?i)gated-here'] } } } } },
  });
  visitor = new Visitor(world.url);
  await visitor.signIn(world.adminToken);
});
afterAll(() => world.end());

/** The page that a form names as the next. */
const BACK = /name="back" value="([^"]+)"/;

/** Earlier tests have left no write-back that waits. The texts that they asked for again come in their own time. */
async function nothingWaits(): Promise<void> {
  await until('a write-back for each request', async () => {
    const open = await world.rows(
      `SELECT 1 FROM generation_task AS task WHERE NOT EXISTS (SELECT 1 FROM write_back
         WHERE write_back.external_id = task.external_id AND write_back.created_at > task.requested_at)`,
    );
    return open.length === 0 ? true : null;
  });
  await world.rows(`UPDATE write_back SET state = 'skipped' WHERE state = 'pending_review'`);
}

async function one(name: string): Promise<Waiting> {
  const [row] = await waiting(world, name);
  return row!;
}

/** The first address of a page that the pattern finds, as a browser reads it. */
function addressIn(text: string, pattern: RegExp): string {
  return pattern.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
}

/** On the page, whose approvals are written after the seconds for an undo. */
async function approveOnPage({ id, path }: Waiting): Promise<void> {
  await visitor.submit(path, `${path}/decide`, [
    ['decision', 'approve'],
    ['field', 'title'],
    ['field', 'descriptionHtml'],
  ]);
  await inState(world, id, 'applied');
}

/** By the API, at once. */
async function approve({ id }: Waiting): Promise<void> {
  await world.api('POST', '/api/v1/write-backs/approve', { ids: [id] });
  await inState(world, id, 'applied');
}

describe('one write-back', () => {
  it('is edited before the approval: the edited text is sanitised and written, and the original stays', async () => {
    const row = await one('edited-here');
    expect((await visitor.get(row.path)).text).toContain('<textarea');
    const saved = [
      ['decision', 'save'],
      ['text title', 'Written <script>x</script>by hand'],
    ] as const;
    await visitor.submit(row.path, `${row.path}/decide`, saved);
    const { text } = await visitor.get(row.path);
    expect(text).toContain('The text was saved');
    expect(text).toContain('Original text');
    expect(text).toContain('last changed by admin');
    await approveOnPage(row);
    expect((await visitor.get(row.path)).text).toContain('decided by admin');
    expect(row.title()).toBe('Written by hand');
    expect((await visitor.get(row.path)).text).toContain('Original text');
    await visitor.submit(row.path, `${row.path}/decide`, saved);
    expect((await visitor.get(row.path)).text).toContain('cannot be edited');
  });

  it('is rejected with a reason, and the rejection is undone from the list', async () => {
    const row = await one('rejected-here');
    await visitor.submit(row.path, `${row.path}/decide`, [
      ['decision', 'reject'],
      ['reason', 'wrong tone'],
    ]);
    expect((await visitor.get(row.path)).text).toContain('rejected: wrong tone');
    expect((await visitor.get('/review')).text).toContain(`action="/write-backs/${row.id}/undo"`);
    const answer = await visitor.submit('/review', `/write-backs/${row.id}/undo`, [['back', '/review']]);
    expect(answer.status).toBe(303);
    await inState(world, row.id, 'pending_review');
    expect((await visitor.get('/review')).text).toContain('undone');
  });

  it('is taken back to review, unwritten and whole, by an undo within the seconds of an approval', async () => {
    const row = await one('undone-here');
    const before = row.title();
    await visitor.submit(row.path, `${row.path}/decide`, [
      ['decision', 'approve'],
      ['field', 'title'],
    ]);
    await visitor.submit(row.path, `${row.path}/undo`, []);
    await inState(world, row.id, 'pending_review');
    expect(row.title()).toBe(before);
    expect((await visitor.get(row.path)).text).toContain('value="descriptionHtml"');
  });

  it('is asked about before a revert, and applied again afterwards', async () => {
    const row = await one('reverted-here');
    const before = row.title();
    await approve(row);
    const written = row.title();
    expect((await visitor.get(`${row.path}/confirm/revert`)).text).toContain('in the live shop');
    await visitor.submit(row.path, `${row.path}/revert`, []);
    expect(row.title()).toBe(before);
    await visitor.submit(row.path, `${row.path}/reapply`, []);
    await until('the text again', async () => (row.title() === written ? true : null));
    expect((await visitor.get(`${row.path}/confirm/delete`)).status).toBe(404);
  });

  it('shows the sources and the credits; an address that is none is no link', async () => {
    const row = await one('sourced');
    await world.rows(`UPDATE write_back SET credits_consumed = 3, sources = $2::jsonb WHERE id = $1`, [
      row.id,
      JSON.stringify([
        { url: 'https://example.com/a', score: 0.9, status: null, given: true },
        { url: 'javascript:alert(1)', score: null, status: null, given: false },
      ]),
    ]);
    const { text } = await visitor.get(row.path);
    expect(text).toContain('Credits consumed: 3');
    expect(text).toContain('href="https://example.com/a"');
    expect(text).toContain('given by us');
    expect(text).not.toContain('href="javascript:');
  });

  it('shows the findings of the gates beside the text that they are about', async () => {
    const row = await one('gated-here');
    const { text } = await visitor.get(row.path);
    const title = text.slice(text.indexOf('aria-label="Title"'), text.indexOf('aria-label="Description"'));
    expect(title).toContain('aria-label="Gates"');
    expect(title).toContain('“gated-here” is forbidden');
  });

  it('gets a new text by “generate again”', async () => {
    const row = await one('again');
    await visitor.submit(row.path, `${row.path}/generate`, []);
    expect((await visitor.get(row.path)).text).toContain('Generation was requested');
  });
});

describe('the question before an action on one write-back', () => {
  it('keeps the place in the list, whether it is answered with yes or with no', async () => {
    const row = await one('kept-place');
    const place = `${row.path}?at=0&store=main`;
    const { text } = await visitor.get(place);
    const address = addressIn(text, /href="([^"]+\/confirm\/generate[^"]*)"/);
    const question = (await visitor.get(address)).text;
    expect(question).toContain(`href="${place.replaceAll('&', '&amp;')}"`);
    const back = addressIn(question, BACK);
    expect(back).toBe(place);
    const answer = await visitor.submit(address, `${row.path}/generate`, [['back', back]]);
    expect(answer.headers.get('location')).toBe(place);
  });

  it('leads to no page elsewhere', async () => {
    const row = await one('own-place');
    const address = `${row.path}/confirm/generate?back=${encodeURIComponent('https://elsewhere.example/')}`;
    expect((await visitor.get(address)).text).not.toContain('elsewhere.example');
    const answer = await visitor.submit(row.path, `${row.path}/undo`, [['back', '//elsewhere.example/']]);
    expect(answer.headers.get('location')).not.toContain('elsewhere');
  });
});

describe('all that match', () => {
  it('are approved after a question that names their number', async () => {
    await nothingWaits();
    const rows = await waiting(world, 'bulk-1', 'bulk-2', 'bulk-3');
    const address = '/bulk/new?action=approve&store=main&field=title';
    const { text } = await visitor.get(address);
    expect(text).toContain('<b>3 texts</b> match');
    const until = /name="until" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const answer = await visitor.submit(address, '/bulk', [
      ['action', 'approve'],
      ['store', 'main'],
      ['field', 'title'],
      ['until', until],
    ]);
    expect(answer.status).toBe(303);
    for (const { id } of rows) await inState(world, id, 'applied');
  });

  it('of one run are reverted after a dry run that shows what is left and why', async () => {
    await nothingWaits();
    const rows = await waiting(world, 'night-1', 'night-2');
    const before = rows.map(({ title }) => title());
    for (const row of rows) await approve(row);
    const [product] = world.store.products.list().filter(({ title }) => title === rows[1]?.title());
    world.store.products.merchantEdit(product?.id ?? 0, { title: 'By the merchant' });
    const address = `/bulk/new?action=revert&run=${rows[0]?.run ?? ''}`;
    const question = (await visitor.get(address)).text;
    expect(question).toContain('Show what would change');
    const time = /name="until" value="([^"]+)"/.exec(question)?.[1] ?? '';
    await visitor.submit(address, '/bulk', [
      ['action', 'revert'],
      ['run', rows[0]?.run ?? ''],
      ['until', time],
      ['dryRun', '1'],
    ]);
    const [dry] = await world.rows<{ id: string }>(
      'SELECT id FROM bulk_change ORDER BY created_at DESC LIMIT 1',
    );
    const path = `/bulk/${dry?.id ?? ''}`;
    const report = await until('the dry run', async () => {
      const { text } = await visitor.get(path);
      return text.includes('Nothing was written') ? text : null;
    });
    expect(report).toContain('somebody edited it');
    expect(rows[0]?.title()).not.toBe(before[0]);
    await visitor.submit(path, `${path}/apply`, []);
    await inState(world, rows[0]?.id ?? '', 'reverted');
    await inState(world, rows[1]?.id ?? '', 'reverted');
    expect([rows[0]?.title(), rows[1]?.title()]).toEqual([before[0], 'By the merchant']);
  });

  it.each(['run=nonsense', 'state=lost', 'from=yesterday', 'outcome=odd'])(
    'are refused for the filter %s: a filter that is not understood would change more',
    async (filter) => {
      expect((await visitor.get(`/bulk/new?action=revert&store=main&${filter}`)).status).toBe(400);
    },
  );

  it('are refused without any filter', async () => {
    const answer = await visitor.submit('/review', '/bulk', [
      ['action', 'approve'],
      ['until', new Date().toISOString()],
    ]);
    expect(answer.status).toBe(400);
    const rows = await world.rows(`SELECT 1 FROM bulk_change WHERE filter = '{}'`);
    expect(rows).toEqual([]);
  });
});

describe('the journal', () => {
  it('is filtered by what happened, and offers to revert what the filter shows', async () => {
    const { text } = await visitor.get(
      '/journal?store=main&outcome=written&field=title&actor=admin&from=2020-01-01',
    );
    expect(text).toContain('/bulk/new?action=revert&amp;store=main');
    expect(text).not.toContain('No texts match');
    const none = (await visitor.get('/journal?from=2020-01-01&to=2020-01-02')).text;
    expect(none).toContain('No texts match');
  });

  it('is where a write-back leads back to that it opened: with its filter and its page', async () => {
    const rows = await waiting(world, 'opened-1', 'opened-2');
    for (const row of rows) await approve(row);
    const list = '/journal?state=applied&store=main&search=opened&offset=1';
    const [first] = rows;
    const opened = addressIn(
      (await visitor.get(list)).text,
      new RegExp(`href="(/write-backs/${first?.id ?? ''}\\?[^"]+)"`),
    );
    const { text } = await visitor.get(opened);
    expect(addressIn(text, /href="([^"]+)" data-key="u"/)).toBe(list);
    const question = await visitor.get(addressIn(text, /href="([^"]+\/confirm\/revert[^"]*)"/));
    expect(addressIn(question.text, BACK)).toBe(opened);
    expect((await visitor.get(`${first?.path ?? ''}?journal=//elsewhere.example`)).text).not.toContain(
      'elsewhere',
    );
  });

  it('is the page after a revert and after a reapplication that were asked for in it, with its filter', async () => {
    const row = await one('from-the-list');
    const before = row.title();
    await approve(row);
    const answered = async (action: string, state: string): Promise<void> => {
      const list = `/journal?state=${state}&store=main&search=from-the-list`;
      const asked = new RegExp(`href="(/write-backs/${row.id}/confirm/${action}[^"]*)"`);
      const address = addressIn((await visitor.get(list)).text, asked);
      const back = addressIn((await visitor.get(address)).text, BACK);
      expect(back).toBe(list);
      const answer = await visitor.submit(address, `/write-backs/${row.id}/${action}`, [['back', back]]);
      expect(answer.headers.get('location')).toBe(list);
    };
    await answered('revert', 'applied');
    expect(row.title()).toBe(before);
    await answered('reapply', 'reverted');
    await until('the text again', async () => (row.title() === before ? null : true));
  });
});
