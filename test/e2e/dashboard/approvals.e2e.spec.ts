import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inState, openDashboard, Visitor, waiting, type Waiting } from './dashboard-world.js';
import { until, type World } from '../../support/e2e-world.js';
import { runCommand } from '../../support/run-command.js';

let world: World;
let visitor: Visitor;
let round = 0;

beforeAll(async () => {
  world = await openDashboard({
    settings: { stores: { main: { writeBack: { mode: 'review', gates: { forbid: ['(?i)gated'] } } } } },
  });
  visitor = new Visitor(world.url);
  await visitor.signIn(world.adminToken);
});
afterAll(() => world.end());

/** A text that nobody objects to, one of a product whose title the merchant edits since, and one that a gate holds back. */
let clean: Waiting;
let edited: Waiting;
let gated: Waiting;

beforeEach(async () => {
  await world.rows(`UPDATE write_back SET state = 'skipped' WHERE state = 'pending_review'`);
  round += 1;
  const names = ['clean', 'edited', 'gated'].map((name) => `${name}-${String(round)}`);
  [clean, edited, gated] = (await waiting(world, ...names)) as [Waiting, Waiting, Waiting];
  world.store.products.merchantEdit(edited.product, { title: 'By the merchant' });
});

const ids = () => [clean.id, edited.id, gated.id];

describe('an approval of several texts', () => {
  it('by the API leaves an edit of the merchant and a text that a gate holds back, and counts both', async () => {
    const before = gated.title();
    const { status, body } = await world.api('POST', '/api/v1/write-backs/approve', { ids: ids() });
    expect(status).toBe(200);
    expect(body).toMatchObject({ approved: 1, leftEdited: 1, leftGated: 1, refused: 0 });
    await inState(world, clean.id, 'applied');
    await inState(world, edited.id, 'applied');
    expect(edited.title()).toBe('By the merchant');
    expect(gated.title()).toBe(before);
  });

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

  it('does otherwise when it is told to, and ends with 0', async () => {
    const before = gated.title();
    const { status, stdout } = await approve({ overwriteEdits: true, passGates: true });
    expect([status, stdout]).toEqual([0, expect.stringContaining('3 approved')]);
    for (const { id } of [edited, gated]) await inState(world, id, 'applied');
    expect(edited.title()).not.toBe('By the merchant');
    expect(gated.title()).not.toBe(before);
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

  it('edit two fields, and both edits stay', async () => {
    const version = versionIn((await visitor.get(path())).text);
    const save = (target: string, value: string, seen = version) =>
      visitor.submit(path(), `${path()}/decide`, [
        ['decision', 'save'],
        ['field', 'title'],
        [`text ${target}`, value],
        ['version', seen],
      ]);
    await save('title', 'By one');
    await save('descriptionHtml', '<p>By another</p>');
    const stale = await save('title', 'By another, too late');
    expect(stale.status).toBe(409);
    expect(stale.text).toContain('By another, too late');
    expect(stale.text).toContain('By one');
    expect(stale.text).toContain(`action="${path()}/decide"`);
    expect(stale.text).toContain('<input type="hidden" name="field" value="title" />');
    const again = await save('title', 'By another, after all', versionIn(stale.text));
    expect(again.status).toBe(303);
    const decision = [
      ['decision', 'approve'],
      ['field', 'title'],
      ['field', 'descriptionHtml'],
    ] as const;
    await visitor.submit(path(), `${path()}/decide`, [...decision, ['version', version]]);
    expect((await visitor.get(path())).text).toContain('somebody edited it since you read it');
    const now = versionIn((await visitor.get(path())).text);
    await visitor.submit(path(), `${path()}/decide`, [...decision, ['version', now]]);
    await inState(world, clean.id, 'applied');
    expect(world.store.products.get(clean.product)).toMatchObject({
      title: 'By another, after all',
      descriptionHtml: '<p>By another</p>',
    });
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

it('a declined field is named with who declined it, on its page and by the API', async () => {
  const path = `/write-backs/${clean.id}`;
  await visitor.submit(path, `${path}/decide`, [
    ['decision', 'approve'],
    ['field', 'descriptionHtml'],
  ]);
  await inState(world, clean.id, 'applied');
  expect((await visitor.get(path)).text).toContain('Declined by admin');
  const { body } = await world.api('GET', `/api/v1${path}`);
  expect(body).toMatchObject({ declined: [{ target: 'title', by: 'admin' }] });
});
