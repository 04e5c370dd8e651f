import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { World } from '../../support/e2e-world.js';
import { endWithTheFile } from '../../support/left-open.mjs';

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

let started: Promise<Browser> | undefined;

/** The system's Chromium, one for a test file. */
function chromiumOfTheFile(): Promise<Browser> {
  if (started !== undefined) return started;
  const browser = chromium.launch({
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
  });
  started = browser;
  endWithTheFile(async () => {
    started = undefined;
    await (await browser).close();
  });
  return browser;
}

/** A browser with an empty profile, in the first of the looks. It requests nothing except the pages that a test opens. */
export async function openBrowser({ javaScriptEnabled = true } = {}): Promise<BrowserContext> {
  const browser = await chromiumOfTheFile();
  const { colorScheme, viewport } = LOOKS[0];
  const context = await browser.newContext({ colorScheme, viewport, javaScriptEnabled });
  context.setDefaultTimeout(15_000);
  // Only the store's own image host answers.
  await context.route('https://cdn.shopify.com/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: PRODUCT_IMAGE }),
  );
  return context;
}

/** Colours do not depend on the width, so that two looks show every colour and every layout. */
export const LOOKS = [
  { name: 'desktop-light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;
export type Look = (typeof LOOKS)[number];

/** Shows the page in that look from now on. */
export async function wear(page: Page, { colorScheme, viewport }: Look): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
}

export async function signedIn(context: BrowserContext, { url, adminToken }: World): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/`);
  await page.getByLabel('Token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** A key of the page's script, which runs before the page counts as loaded: a text in sight does not say that it has run. */
export async function press(page: Page, key: string): Promise<void> {
  await page.waitForLoadState();
  await page.keyboard.press(key);
}

/** Where pictures of every page are kept to be looked at; absent: none are taken. */
const PICTURES = process.env['STORE_SYNC_TEST_PICTURES'];

/** A picture of the page as the name says, where one is wanted. */
export async function picture(page: Page, name: string, look: Look): Promise<void> {
  if (PICTURES === undefined) return;
  await mkdir(PICTURES, { recursive: true });
  // A window as high as the page shows what is loaded only in sight, and the keys below it.
  const height = await page.evaluate<number>('document.body.scrollHeight');
  await page.setViewportSize({ ...look.viewport, height: Math.max(look.viewport.height, height) });
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(PICTURES, `${name}-${look.name}.png`), fullPage: true });
  await page.setViewportSize(look.viewport);
}
