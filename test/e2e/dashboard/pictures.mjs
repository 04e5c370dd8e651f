/**
 * Renews the pictures of the README: `node test/e2e/dashboard/pictures.mjs`, after `npm run build`. Runs the demo with --keep,
 * takes the dashboard's overview and draws the end of the demo's output as a terminal. Needs Chromium (CHROMIUM_PATH, else
 * /usr/bin/chromium); pngquant makes the files smaller where it is installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const IMAGES = 'docs/images';
const SHOWN_PRODUCTS = 5;
const SIZE = { width: 1280, height: 820 };

/** Starts the demo; resolves once it stays up, to its output and its address. */
function startDemo() {
  const child = spawn(process.execPath, ['bin/store-sync.js', 'demo', '--keep'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', () => reject(new Error(`the demo ended early:\n${output}`)));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const url = /(http:\/\/127\.0\.0\.1:\d+)[ ;].*?\btoken ([\w-]{20,})/s.exec(output);
      if (url) resolve({ child, output, url: url[1], token: url[2] });
    });
  });
}

/** The beginning of the table and all that stands below it. */
function excerpt(output) {
  const lines = output.split('\n');
  const rules = lines.flatMap((line, index) => (/^[┌├└]/.test(line) ? [index] : []));
  const shown = lines.slice(0, rules[SHOWN_PRODUCTS + 1] + 1);
  const after = lines.slice(rules.at(-1) + 1).filter((line) => !/https?:\/\//.test(line));
  return ['$ npm run demo', ...shown, '  …', ...after].join('\n').trimEnd();
}

function terminalPage(text) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<body style="margin:0;display:inline-block"><pre style="margin:0;padding:20px 24px;background:#fafafa;color:#24292f;
    font:13px/1.25 'DejaVu Sans Mono',monospace;white-space:pre-wrap;width:165ch;overflow-wrap:anywhere">${escaped}</pre></body>`;
}

async function takePictures({ output, url, token }) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
    await page.goto(`${url}/`);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.screenshot({ path: `${IMAGES}/dashboard.png` });
    const terminal = await browser.newPage({ viewport: { ...SIZE, width: 1500 } });
    await terminal.setContent(terminalPage(excerpt(output)));
    await terminal.locator('pre').screenshot({ path: `${IMAGES}/demo.png` });
  } finally {
    await browser.close();
  }
}

mkdirSync(IMAGES, { recursive: true });
const demo = await startDemo();
try {
  await takePictures(demo);
} finally {
  demo.child.removeAllListeners('exit');
  demo.child.kill('SIGTERM');
}
for (const name of ['dashboard', 'demo'])
  spawnSync('pngquant', ['--force', '--ext', '.png', '--quality', '70-95', `${IMAGES}/${name}.png`]);
