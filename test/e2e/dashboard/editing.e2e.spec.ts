import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { until, type World } from '../../support/e2e-world.js';
import { describeInABrowser, openBrowser, signedIn } from './browser.js';
import { openDashboard, waiting, type Waiting } from './dashboard-world.js';
import { seedWriteBacks } from './seed.js';

describeInABrowser('the editor of a text', () => {
  let world: World;

  beforeAll(async () => {
    // To a run, a seeded product is one that the shop has deleted.
    const main = { writeBack: { mode: 'review' }, limits: { maxOrphanedShare: 1 } };
    world = await openDashboard({ settings: { stores: { main } } });
  });
  afterAll(() => world.end());

  const description = (page: Page) => page.getByRole('region', { name: 'Description' });

  async function saveAndApprove(page: Page): Promise<void> {
    await description(page).getByRole('button', { name: 'Save and approve' }).click();
    await page.getByText(/approved; it is written next/).waitFor();
    // Only the edited text has another one behind it.
    expect(await page.getByText('Original text').count()).toBe(1);
  }

  it('saves and approves what a person wrote, by one button, with scripts and without', async () => {
    const [first, second] = (await waiting(world, 'mug', 'cup')) as [Waiting, Waiting];
    const browsers = [await openBrowser(), await openBrowser({ javaScriptEnabled: false })] as const;
    try {
      const rich = await signedIn(browsers[0], world);
      await rich.goto(`${world.url}${first.path}`);
      await description(rich).locator('summary').click();
      const field = description(rich).getByRole('textbox', { name: 'Description' });
      await field.press('Control+End');
      await field.pressSequentially(' Loved by all.');
      await field.press('Control+Home');
      await field.press('Shift+End');
      await description(rich).getByRole('button', { name: 'Heading' }).click();
      expect(await rich.locator('[data-approve]').innerText()).toBe('Save and approve');
      await description(rich).getByRole('button', { name: 'HTML' }).click();
      const markup = description(rich).locator('textarea');
      expect(await markup.inputValue()).toMatch(/^<h3>.*Loved by all\./s);
      await markup.fill(`${await markup.inputValue()}<p>And <em>by me</em>.<script>alert(1)</script></p>`);
      await saveAndApprove(rich);

      const plain = await signedIn(browsers[1], world);
      await plain.goto(`${world.url}${second.path}`);
      await description(plain).locator('summary').click();
      await description(plain).locator('textarea').fill('<p>Written <strong>by hand</strong>.</p>');
      await saveAndApprove(plain);

      const written = (row: Waiting, text: string) =>
        until(`“${text}” in the store`, () => row.live().descriptionHtml.includes(text), 60_000);
      await written(first, 'Loved by all.');
      await written(second, '<p>Written <strong>by hand</strong>.</p>');
      expect(first.live().descriptionHtml).toMatch(/^<h3>.*<p>And <em>by me<\/em>\.<\/p>/s);
    } finally {
      for (const browser of browsers) await browser.close();
    }
  });

  it('loads nothing from outside for a preview: images are named by their address', async () => {
    await seedWriteBacks(world, [
      {
        number: 900_100,
        label: 'A tracked mug',
        title: 'A tracked mug',
        description: `<p>Seen by many</p><img src="https://tracker.example/a.png" srcset="https://tracker.example/b.png 2x">
          <link rel="preconnect" href="https://tracker.example"><iframe src="https://tracker.example/c"></iframe>
          <video poster="https://tracker.example/d"><source src="https://tracker.example/e.mp4"></video>
          <p style="background:url(https://tracker.example/f)">by all</p>`,
      },
    ]);
    const [row] = await world.rows<{ id: string }>(
      `SELECT id FROM write_back WHERE external_id LIKE '%:900100'`,
    );
    const browser = await openBrowser();
    try {
      const asked: string[] = [];
      const complaints: string[] = [];
      browser.on('request', (request) => asked.push(request.url()));
      browser.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      const page = await signedIn(browser, world);
      await page.goto(`${world.url}/write-backs/${row?.id ?? ''}`);
      const rendered = page.frameLocator('iframe[title="Description, Generated, rendered"]');
      await rendered.getByText('Image: https://tracker.example/a.png').waitFor();
      await rendered.getByText('Embedded page: https://tracker.example/c').waitFor();
      // Nor does the editor, which keeps them in the markup.
      await page.locator('.editor[data-rich] summary').click();
      const field = page.locator('.editor .rich');
      await field.getByText('Image: https://tracker.example/a.png').waitFor();
      await field.press('End');
      await field.pressSequentially(' and loved');
      const markup = await page.locator('.editor[data-rich] textarea').inputValue();
      expect(markup).toContain('<img src="https://tracker.example/a.png"');
      expect(markup).toContain('and loved');
      expect(asked.filter((url) => url.includes('/preview/'))).not.toEqual([]);
      expect(asked.filter((url) => !url.startsWith(`${world.url}/`))).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
