import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import type { World } from '../../support/e2e-world.js';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const REQUIRED = process.env['STORE_SYNC_TEST_BROWSER'] === 'required';

/** Tests that need Chromium. Where it is missing they are skipped, or fail if it is required. */
export function describeInABrowser(name: string, tests: () => void): void {
  if (existsSync(CHROMIUM)) {
    describe(name, tests);
    return;
  }
  describe(name, () => {
    (REQUIRED ? it : it.skip)('is tried where Chromium is installed', () => {
      throw new Error('Chromium is not installed: apt-get install chromium, or set CHROMIUM_PATH');
    });
  });
}

const PRODUCT_IMAGE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96" fill="#e8d9c0"/><circle cx="48" cy="54" r="26" fill="#7a4b2a"/></svg>';

export interface Browser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** The system's Chromium with an empty profile. It requests nothing except the pages that a test opens. */
export async function openBrowser(
  options: {
    readonly dark?: boolean;
    readonly phone?: boolean;
    readonly javaScriptEnabled?: boolean;
  } = {},
): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'store-sync-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    colorScheme: options.dark === true ? 'dark' : 'light',
    viewport: options.phone === true ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    javaScriptEnabled: options.javaScriptEnabled ?? true,
  });
  context.setDefaultTimeout(15_000);
  // Only the store's own image host answers.
  await context.route('https://cdn.shopify.com/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: PRODUCT_IMAGE }),
  );
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

export async function signedIn({ context }: Browser, { url, adminToken }: World): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/`);
  await page.getByLabel('Token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** Where pictures of every page are kept to be looked at; absent: none are taken. */
const PICTURES = process.env['STORE_SYNC_TEST_PICTURES'];

/** A picture of the page as the name says, where one is wanted. */
export async function picture(
  page: Page,
  name: string,
  { dark, phone }: { readonly dark: boolean; readonly phone: boolean },
): Promise<void> {
  if (PICTURES === undefined) return;
  await mkdir(PICTURES, { recursive: true });
  const file = `${name}-${phone ? 'phone' : 'desktop'}-${dark ? 'dark' : 'light'}.png`;
  // A window as high as the page shows what is loaded only in sight, and the keys below it.
  const [size, height] = [page.viewportSize(), await page.evaluate<number>('document.body.scrollHeight')];
  if (size === null) throw new Error('the page has no size');
  await page.setViewportSize({ ...size, height: Math.max(size.height, height) });
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(PICTURES, file), fullPage: true });
  await page.setViewportSize(size);
}
