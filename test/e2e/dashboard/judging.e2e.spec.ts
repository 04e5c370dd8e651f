import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inState, openDashboard, Visitor, waiting, type Waiting } from './dashboard-world.js';
import { until, type World } from '../../support/e2e-world.js';
import { runCommand } from '../../support/run-command.js';

let world: World;
let visitor: Visitor;

beforeAll(async () => {
  world = await openDashboard({
    settings: { stores: { main: { writeBack: { mode: 'review', gates: { forbid: ['(?i)gated'] } } } } },
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

/** The first attribute of a page that the pattern finds, as a browser reads it. */
function attributeIn(text: string, pattern: RegExp): string {
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

  it('keeps what the merchant edits between the opening of its page and the approval there', async () => {
    const row = await one('shown-here');
    world.store.products.merchantEdit(row.product, { title: 'Shown on the page' });
    const { text } = await visitor.get(row.path);
    world.store.products.merchantEdit(row.product, { descriptionHtml: '<p>Shown to nobody</p>' });
    const form = [
      ['decision', 'approve'],
      ['field', 'title'],
      ['field', 'descriptionHtml'],
      ['shown', attributeIn(text, /name="shown" value="([^"]+)"/)],
    ] as const;
    await visitor.post(`${row.path}/decide`, form, { 'sec-fetch-site': 'same-origin' });
    await inState(world, row.id, 'applied');
    expect(row.title()).not.toBe('Shown on the page');
    expect(row.live().descriptionHtml).toBe('<p>Shown to nobody</p>');
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
});

describe('the question before an action on one write-back', () => {
  it('keeps the place in the list, whether it is answered with yes or with no', async () => {
    const row = await one('kept-place');
    const place = `${row.path}?at=0&store=main`;
    const { text } = await visitor.get(place);
    const address = attributeIn(text, /href="([^"]+\/confirm\/generate[^"]*)"/);
    const question = (await visitor.get(address)).text;
    expect(question).toContain(`href="${place.replaceAll('&', '&amp;')}"`);
    const back = attributeIn(question, BACK);
    expect(back).toBe(place);
    const answer = await visitor.submit(address, `${row.path}/generate`, [['back', back]]);
    expect(answer.headers.get('location')).toBe(place);
    expect((await visitor.get(place)).text).toContain('Generation was requested');
    expect((await visitor.get(`${row.path}/confirm/delete`)).status).toBe(404);
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
    await approve(await one('written-once'));
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
    const opened = attributeIn(
      (await visitor.get(list)).text,
      new RegExp(`href="(/write-backs/${first?.id ?? ''}\\?[^"]+)"`),
    );
    const { text } = await visitor.get(opened);
    expect(attributeIn(text, /href="([^"]+)" data-key="u"/)).toBe(list);
    const question = await visitor.get(attributeIn(text, /href="([^"]+\/confirm\/revert[^"]*)"/));
    expect(attributeIn(question.text, BACK)).toBe(opened);
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
      const address = attributeIn((await visitor.get(list)).text, asked);
      const { text } = await visitor.get(address);
      if (action === 'revert') expect(text).toContain('in the live shop');
      const back = attributeIn(text, BACK);
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

describe('of three texts', () => {
  let round = 0;
  /** A text that nobody objects to, one of a product whose title the merchant edits since, and one that a gate holds back. */
  let clean: Waiting;
  let edited: Waiting;
  let gated: Waiting;

  beforeEach(async () => {
    await nothingWaits();
    round += 1;
    const names = ['clean', 'edited', 'gated'].map((name) => `${name}-${String(round)}`);
    [clean, edited, gated] = (await waiting(world, ...names)) as [Waiting, Waiting, Waiting];
    world.store.products.merchantEdit(edited.product, { title: 'By the merchant' });
  });

  const ids = () => [clean.id, edited.id, gated.id];

  describe('an approval of several texts', () => {
    it('in the list leaves both, which the list has marked before', async () => {
      const { text } = await visitor.get('/review');
      expect(text).toContain('edited in the shop');
      expect(text).toContain('is forbidden');
      const chosen = ids().map((id) => ['id', id] as const);
      await visitor.submit('/review', '/review', [['decision', 'approve'], ...chosen]);
      const answer = (await visitor.get('/review')).text;
      expect(answer).toContain('1 approved, 1 left: edited by the merchant, 1 left: held back by a gate');
      await inState(world, clean.id, 'applied');
      await inState(world, edited.id, 'applied');
      expect(edited.title()).toBe('By the merchant');
    });

    it('of all that match leaves both unless a tick that names the number says otherwise', async () => {
      const address = '/bulk/new?action=approve&store=main';
      const { text } = await visitor.get(address);
      expect(text).toContain('Also overwrite what the merchant edited since (1 text)');
      expect(text).toContain('Also write what a gate holds back (1 text)');
      const request = async (...ticked: string[]): Promise<void> => {
        const asked = (await visitor.get(address)).text;
        const time = /name="until" value="([^"]+)"/.exec(asked)?.[1] ?? '';
        const fields = [
          ['action', 'approve'],
          ['store', 'main'],
          ['until', time],
        ] as const;
        const boxes = ticked.map((name) => [name, '1'] as const);
        expect((await visitor.submit(address, '/bulk', [...fields, ...boxes])).status).toBe(303);
      };
      await request();
      await inState(world, clean.id, 'applied');
      expect(edited.title()).toBe('By the merchant');
      await request('overwriteEdits');
      await until('the generated title', async () => (edited.title() === 'By the merchant' ? null : true));
      const [row] = await world.rows('SELECT state FROM write_back WHERE id = $1', [gated.id]);
      expect(row).toEqual({ state: 'pending_review' });
    });
  });

  describe('an approval of all by the command', () => {
    const approve = (options: Record<string, unknown>) =>
      runCommand(world, 'write-backs', ['approve'], { all: true, store: 'main', yes: true, ...options });

    it('leaves edits and gated texts, counts them, and ends with 3', async () => {
      const before = gated.title();
      const { status, stdout } = await approve({});
      expect(stdout).toContain('1 approved, 1 left: edited by the merchant, 1 left: held back by a gate');
      expect(status).toBe(3);
      await inState(world, clean.id, 'applied');
      expect([edited.title(), gated.title()]).toEqual(['By the merchant', before]);
    });
  });

  describe('two people at one text', () => {
    const path = () => `/write-backs/${clean.id}`;

    const versionIn = (text: string) => /name="version" value="(\d+)"/.exec(text)?.[1] ?? '';

    it.each([
      ['somebody else edited', 'By one, typed in vain', /somebody else edited title meanwhile/],
      ['cannot be written', '<script>typed in vain</script>', /this text cannot be written/],
    ])('lose no text of a form with one that %s', async (what, typed, reason) => {
      const version = versionIn((await visitor.get(path())).text);
      if (what !== 'cannot be written')
        await world.api('POST', `/api/v1${path()}/edit`, { target: 'title', value: 'By the API' });
      const sent = await visitor.submit(path(), `${path()}/decide`, [
        ['decision', 'approve'],
        ['field', 'title'],
        ['text title', typed],
        ['text descriptionHtml', `<p>Beside ${reason.source}</p>`],
        ['version', version],
      ]);
      expect(sent.status).toBe(409);
      expect(sent.text).toContain(typed.replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
      expect(sent.text).toMatch(reason);
      expect(sent.text).not.toContain('Beside');
      const [row] = await world.rows<{ state: string; intended: string }>(
        'SELECT state, intended::text FROM write_back WHERE id = $1',
        [clean.id],
      );
      expect(row?.state).toBe('pending_review');
      expect(row?.intended).toContain(`Beside ${reason.source}`);
    });

    it('keep their ticks when an edit is saved', async () => {
      const answer = await visitor.submit(path(), `${path()}/decide`, [
        ['decision', 'save'],
        ['field', 'descriptionHtml'],
        ['text title', 'Typed on the page'],
      ]);
      const { text } = await visitor.get(answer.headers.get('location') ?? '');
      expect(text).toContain('Typed on the page');
      const box = (target: string) => new RegExp(`value="${target}" form="approval"\\s+checked`).test(text);
      expect([box('title'), box('descriptionHtml')]).toEqual([false, true]);
    });
  });
});
