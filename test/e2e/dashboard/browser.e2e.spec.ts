import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { single } from '../../support/e2e-products.js';
import { describeInABrowser, LOOKS, openBrowser, picture, press, signedIn, wear } from './browser.js';
import { openDashboard } from './dashboard-world.js';
import { until, type World } from '../../support/e2e-world.js';
import { seedDrift, seedPlan, seedStoppedRun } from './seed.js';

describeInABrowser('the dashboard in a browser', inABrowser);

function inABrowser(): void {
  let world: World;
  let axe: string;

  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    world = await openDashboard({
      settings: {
        stores: {
          main: {
            writeBack: {
              ...{ mode: 'review', sections: { namespace: 'catalog' } },
              gates: { forbid: ['(?i)written by rules'] },
            },
          },
        },
      },
    });
    for (const name of ['kettle', 'teapot', 'mug', 'cup', 'bowl']) {
      single(world.store, name, {
        title: `A plain ${name}`,
        images: [{ url: `https://cdn.shopify.com/s/files/1/${name}.jpg?v=1`, alt: name }],
        descriptionHtml: `<h2>The ${name}</h2><p>Made of <strong>clay</strong>, for every day.</p><ul><li>dishwasher safe</li></ul>`,
      });
    }
    // The sandbox finds no source for it, so that it gets no text.
    single(world.store, 'jug', { title: 'A plain jug', tags: ['sandbox-no-urls'] });
  });
  afterAll(() => world.end());

  async function pendingReviews(count: number): Promise<void> {
    await until(`${count} reviews`, async () => {
      const rows = await world.rows(`SELECT 1 FROM write_back WHERE state = 'pending_review'`);
      return rows.length >= count ? true : null;
    });
  }

  /** Images load after the page: a busy machine shows them later. */
  async function thumbnailsShown(page: Page, count: number): Promise<void> {
    const widths = `[...document.querySelectorAll('img.thumb')].map(({ naturalWidth }) => naturalWidth)`;
    await until(`${count} thumbnails`, async () => {
      const shown = await page.evaluate<number[]>(widths);
      return shown.length === count && shown.every((width) => width === 96) ? true : null;
    });
  }

  /** Something of every kind to look at, whichever test comes first: write-backs that wait, and one that was undone. */
  async function furnished(): Promise<void> {
    const inState = async (state: string): Promise<string[]> =>
      (await world.rows<{ id: string }>('SELECT id FROM write_back WHERE state = $1', [state])).map(
        ({ id }) => id,
      );
    if ((await world.rows('SELECT 1 FROM sync_run')).length === 0) await world.runToEnd();
    await until('write-backs of every product', async () => {
      const rows = await world.rows('SELECT 1 FROM write_back');
      return rows.length === 5 ? true : null;
    });
    await until('the product without sources', async () => {
      const rows = await world.rows(`SELECT 1 FROM generation_task WHERE state = 'no_urls'`);
      return rows.length > 0 ? true : null;
    });
    if ((await inState('reverted')).length > 0) return;
    const [id] = await inState('pending_review');
    await world.api('POST', '/api/v1/write-backs/approve', { ids: [id], passGates: true });
    await until('the text in the store', async () => ((await inState('applied')).length > 0 ? true : null));
    await world.api('POST', '/api/v1/write-backs/revert', { ids: [id] });
  }

  it('signs in, watches a run, reviews two products, approves one, sees it in the store and reverts it', async () => {
    const browser = await openBrowser();
    try {
      const complaints: string[] = [];
      browser.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      const page = await signedIn(browser, world);

      await page.getByRole('link', { name: 'main', exact: true }).click();
      await page.getByRole('button', { name: 'Sync everything' }).click();
      await page.getByRole('heading', { name: 'Run of main' }).waitFor();
      await page.getByText('Completed', { exact: true }).waitFor();
      expect(await page.locator('.funnel').innerText()).toMatch(/6\s+Read\s+6\s+Sent\s+6\s+Requested/);
      await pendingReviews(5);

      await page.getByRole('link', { name: 'Review', exact: true }).click();
      await page.getByRole('heading', { name: 'Review' }).waitFor();
      await thumbnailsShown(page, 5);
      await press(page, 'j');
      await press(page, 'Enter');
      await page.getByText('Current store value').first().waitFor();
      const first = await page.getByRole('heading', { level: 1 }).textContent();
      await press(page, 'n');
      await page.waitForURL(/at=1/);
      const second = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
      expect(second).not.toBe(first);
      await thumbnailsShown(page, 1);
      const rendered = page.frameLocator('iframe[title="Description, Generated, rendered"]');
      await rendered.getByText('Written by rules').waitFor();
      expect(await page.locator('iframe').first().getAttribute('sandbox')).toBe('');

      const product = world.store.products.list().find(({ title }) => title === second)!;
      await press(page, 'a');
      await page
        .getByText('approved; it is written next')
        .or(page.getByText(/approved without/))
        .waitFor();
      const written = await until('the title in the store', async () => {
        const { title } = world.store.products.get(product.id)!;
        return title === second ? null : title;
      });
      expect(written).toContain(second);
      // The journal follows the write: the page does not reload by itself.
      await until('the journal of the write', async () => {
        const rows = await world.rows(`SELECT id FROM write_back WHERE state = 'applied'`);
        return rows.length > 0 ? rows : null;
      });

      await page.goto(`${world.url}/journal?state=applied`);
      await page.getByRole('link', { name: /^Revert: / }).click();
      await page.getByRole('heading', { name: 'Revert this text?' }).waitFor();
      await page.getByRole('button', { name: 'Revert' }).click();
      await page.getByText(/fields put back/).waitFor();
      expect(world.store.products.get(product.id)!.title).toBe(second);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('works without scripts where it shows, and for decisions too', async () => {
    await furnished();
    const browser = await openBrowser({ javaScriptEnabled: false });
    try {
      const page = await signedIn(browser, world);
      for (const [name, menu] of [
        ['Review', 'Main'],
        ['Journal', 'Main'],
        ['Products', 'Main'],
        ['Runs', 'Operations'],
        ['Deliveries', 'Operations'],
      ] as const) {
        if (name === 'Runs') await page.getByRole('link', { name: 'Operations', exact: true }).click();
        await page.getByRole('navigation', { name: menu }).getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
      }
      await page.goto(`${world.url}/review`);
      await page
        .getByRole('checkbox', { name: /^Choose A plain/ })
        .first()
        .check();
      await page.getByRole('button', { name: 'Reject selected' }).click();
      await page.getByText('Rejected', { exact: false }).first().waitFor();

      // The header is one line in a wide window, and has a menu in a narrow one.
      const height = 'document.querySelector("header").offsetHeight';
      expect(await page.evaluate(height)).toBeLessThan(64);
      await page.setViewportSize({ width: 390, height: 844 });
      const journal = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Journal' });
      expect(await journal.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Menu' }).click();
      await journal.click();
      await page.getByRole('heading', { name: 'Journal', level: 1 }).waitFor();
    } finally {
      await browser.close();
    }
  });

  it('is read by everybody: nothing serious is found, nothing sticks out, in a wide light window and on a dark phone', async () => {
    await furnished();
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${world.url}/login`);
      await examine(page, 'sign-in');
      await page.close();
      const signed = await signedIn(browser, world);
      for (const [name, path] of await everyPage()) {
        await signed.goto(`${world.url}${path}`);
        await examine(signed, name);
      }
      await saveInVain(signed, 'Typed in vain');
      await examine(signed, 'write-back-conflict');
      await signed.getByRole('button', { name: 'Save' }).click();
      await signed.getByText('The text was saved', { exact: false }).waitFor();
      await pauseStore();
      await signed.goto(`${world.url}/`);
      await signed.getByText('Store main is paused.', { exact: false }).waitFor();
      await examine(signed, 'overview-paused');
      await signed.getByRole('button', { name: 'Try now' }).click();
      await signed.getByText('Store main works again.', { exact: false }).waitFor();
    } finally {
      await browser.close();
    }
  });

  /** Saves a text that somebody else edits while its page is open. */
  async function saveInVain(page: Page, text: string): Promise<void> {
    const [row] = await world.rows<{ id: string }>(
      `SELECT id FROM write_back WHERE state = 'pending_review' LIMIT 1`,
    );
    const path = `/write-backs/${row?.id ?? ''}`;
    await page.goto(`${world.url}${path}`);
    const title = page.getByRole('region', { name: 'Title', exact: true });
    await title.locator('.editor summary').click();
    await title.locator('textarea').fill(text);
    const edited = await world.api('POST', `/api/v1${path}/edit`, { target: 'title', value: 'By the API' });
    expect(edited).toMatchObject({ status: 200 });
    await title.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Not saved', { exact: false }).waitFor();
  }

  async function pauseStore(): Promise<void> {
    await world.rows(
      `INSERT INTO store_state (store, paused_scope, paused_code, paused_reason, paused_since, paused_until)
       VALUES ('main', 'writes', 'write_access_missing', $1, now(), now() + interval '1 hour')
       ON CONFLICT (store) DO UPDATE SET paused_scope = excluded.paused_scope, paused_code = excluded.paused_code,
         paused_reason = excluded.paused_reason, paused_since = excluded.paused_since, paused_until = excluded.paused_until`,
      ['the store denies writing: writeProduct: access denied; check the app’s scopes'],
    );
  }

  async function everyPage(): Promise<[string, string][]> {
    const one = async (sql: string): Promise<string> => (await world.rows<{ id: string }>(sql))[0]?.id ?? '';
    const reverted = await one(`SELECT id FROM write_back WHERE state = 'reverted' LIMIT 1`);
    const product = await one(`SELECT external_id AS id FROM write_back WHERE state = 'reverted' LIMIT 1`);
    const run = await one(`SELECT id FROM sync_run WHERE state = 'succeeded' LIMIT 1`);
    const noUrls = await one(`SELECT external_id AS id FROM generation_task WHERE state = 'no_urls' LIMIT 1`);
    await world.rows(
      `UPDATE write_back SET credits_consumed = 2, sources = $1::jsonb,
         gate_findings = '[{"gate":"numbers","target":"title","found":"25 W","detail":"25 W: not in the source"}]',
         arrived = '[{"from":"sections.voltage","fate":"not_mapped","excerpt":"\\"230 V\\"","setting":"writeBack.attributes.voltage"}]'`,
      [
        JSON.stringify([
          {
            url: `https://example.com/${'a-long-path/'.repeat(12)}`,
            score: 0.93,
            status: 'SUCCESS',
            given: true,
          },
          { url: 'https://example.com/found', score: null, status: null, given: false },
        ]),
      ],
    );
    const dry = await dryRun(run);
    // The dry run needs one that is applied.
    const waiting = await one(`SELECT id FROM write_back WHERE state = 'pending_review' LIMIT 1`);
    await world.api('POST', `/api/v1/write-backs/${waiting}/edit`, {
      ...{ target: 'metafield:catalog.generated_by', value: 'a person' },
    });
    const delivery = await one('SELECT id FROM webhook_delivery LIMIT 1');
    const plan = await seedPlan(world);
    const stopped = await seedStoppedRun(world);
    return [
      ['overview', '/'],
      ['review', '/review'],
      ['write-back-open', `/write-backs/${waiting}?at=0`],
      ['write-back-settled', `/write-backs/${reverted}`],
      ['write-back-confirm', `/write-backs/${reverted}/confirm/reapply`],
      ['bulk-question', '/bulk/new?action=approve&state=pending_review&store=main'],
      ['bulk-dry-run', `/bulk/${dry}`],
      ['journal', '/journal'],
      ['runs', '/runs'],
      ['plans', '/plans'],
      ['plan', `/plans/${plan}`],
      ['bulk-changes', '/bulk'],
      ['drift', `/reports/${await seedDrift(world)}`],
      ['search-empty', '/search'],
      ['search-nothing', '/search?q=nothing-of-that-name'],
      ['run', `/runs/${run}`],
      ['run-stopped', `/runs/${stopped}`],
      ['products', '/products'],
      ['product', `/products/${encodeURIComponent(product)}`],
      ['product-no-urls', `/products/${encodeURIComponent(noUrls)}`],
      ['audit', '/audit'],
      ['deliveries', '/deliveries'],
      ['delivery', `/deliveries/${delivery}`],
      ['missing', '/runs/none'],
      ['unknown', '/no/such/page'],
      ['store', '/stores/main'],
      ['store-generate', '/stores/main/generate'],
      ['product-generate', `/products/${encodeURIComponent(product)}/generate`],
      ['check', '/check'],
      ['settings', '/settings'],
    ];
  }

  /** A dry run that has ended, of everything that the run wrote; one product is reverted for it, and one is edited. */
  async function dryRun(run: string): Promise<string> {
    await world.rows(
      `UPDATE write_back SET state = 'applied', settled_at = now(),
         fields = '[{"target":"title","outcome":"written","reason":"generated","before":"Old","type":null,"after":"New"}]'
       WHERE id = (SELECT id FROM write_back WHERE state = 'pending_review' AND run_id IS NOT NULL ORDER BY id DESC LIMIT 1)
         AND NOT EXISTS (SELECT 1 FROM write_back WHERE state = 'applied')`,
    );
    const { body } = await world.api('POST', '/api/v1/write-backs/bulk', {
      ...{ action: 'revert', filter: { run }, dryRun: true },
    });
    const { id } = body as { id: string };
    await until('the end of the dry run', async () => {
      const rows = await world.rows(`SELECT 1 FROM bulk_change WHERE id = $1 AND state = 'done'`, [id]);
      return rows.length > 0 ? true : null;
    });
    return id;
  }

  async function examine(page: Page, name: string): Promise<void> {
    await page.evaluate(axe);
    for (const look of LOOKS) {
      await wear(page, look);
      const serious: unknown = await page.evaluate(
        `axe.run(document, { iframes: false }).then(({ violations }) => violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).slice(0, 3).join(' ')))`,
      );
      const sticksOut: unknown = await page.evaluate(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth + 1',
      );
      await picture(page, name, look);
      expect({ name, look: look.name, serious, sticksOut }).toMatchObject({ serious: [], sticksOut: false });
    }
    await wear(page, LOOKS[0]);
  }
}
