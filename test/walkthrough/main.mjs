import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { join } from 'node:path';
import { loadConfig } from '../../dist/config/index.js';
import { blocksUnder, stepsOf } from './steps.mjs';

// `npm run walkthrough`: does what README.md says under "Your first store", command by command as it is written there, and then the check of
// docs/shopify.md. It ends with 0 when a text was reviewed, approved and written, within fifteen minutes. A command that fails, or an
// output that does not come, ends it with 1 and the line of the document.

const LIMIT_MS = 15 * 60_000;
const STEP_MS = 180_000;
const REPEAT_MS = 2_000;

const root = new URL('../..', import.meta.url).pathname;
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const startedAt = Date.now();
const directory = mkdtempSync(join(tmpdir(), 'store-sync-walkthrough-'));
// As root, the embedded server runs as another user, who must reach its files below.
chmodSync(directory, 0o755);
const background = [];
let status = 0;
try {
  const readme = document('README.md');
  const steps = stepsOf(blocksUnder(readme, 'Your first store', 'sh'));
  if (steps.length < 8) throw new Error('README.md: "Your first store" has fewer than eight commands');
  const end = steps.findIndex(({ command }) => command.startsWith('kill %'));
  if (end === -1) throw new Error('README.md: "Your first store" does not say how to stop what it started');
  for (const step of steps.slice(0, end)) await carriedOut(step);
  const shopify = document('docs/shopify.md');
  for (const step of stepsOf(blocksUnder(shopify, '5. Check it', 'sh'))) await carriedOut(step);
  for (const block of [...readme.blocks, ...shopify.blocks])
    if (block.language === 'yaml') assertLoads(block);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  if (Date.now() - startedAt > LIMIT_MS)
    throw new Error(`it took ${seconds} s, which is more than fifteen minutes`);
  // A terminal's `kill %1` knows its jobs; here it is this.
  for (const child of background.splice(0).toReversed()) await stopped(child);
  for (const step of steps.slice(end + 1)) await carriedOut(step);
  process.stdout.write(`walkthrough: from nothing to an approved text in ${seconds} s\n`);
} catch (error) {
  process.stderr.write(`walkthrough: ${error.message}\n`);
  status = 1;
} finally {
  for (const child of background.toReversed()) await stopped(child);
  rmSync(directory, { recursive: true, force: true });
}
process.exit(status);

function document(path) {
  return { path, ...blocksUnder.read(readFileSync(join(root, path), 'utf8'), path) };
}

/** In an empty directory, as a newcomer. The checkout's own programs are on the path, as `npx` has them. */
async function carriedOut({ command, at, isBackground, waitFor, repeatUntil }) {
  // The checkout is installed and built by whoever runs this script.
  if (/^npm ci\b/.test(command)) return;
  process.stdout.write(`$ ${command}\n`);
  if (isBackground) {
    background.push(await ready(command, at, waitFor));
    return;
  }
  const until = Date.now() + STEP_MS;
  for (;;) {
    const { code, output } = await ended(command);
    if (repeatUntil === null) {
      // 2 of `plan` means that there are changes.
      if (code !== 0 && !(code === 2 && / plan\b/.test(command)))
        throw new Error(`${at}: ended with ${code}: ${command}\n${output}`);
      return;
    }
    if (output.includes(repeatUntil)) return;
    if (Date.now() > until) throw new Error(`${at}: never showed "${repeatUntil}": ${command}\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, REPEAT_MS));
  }
}

/** `npm run` means the checkout's scripts, and `npx store-sync` its program, both in the directory of the walkthrough. */
function shell(command) {
  const node = JSON.stringify(process.execPath);
  const text = command
    .replace(/^npm run (\S+)(?: --)?/, (_all, name) => {
      if (scripts[name] === undefined) throw new Error(`package.json has no script ${name}`);
      return scripts[name]
        .replace(/^node /, `${node} `)
        .replace(/ (dist\/\S+)/, (_path, path) => ` ${JSON.stringify(join(root, path))}`);
    })
    .replace(/^(?:npx )?store-sync\b/, `${node} ${JSON.stringify(join(root, 'bin/store-sync.js'))}`);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' };
  return spawn('bash', ['-c', `exec ${text}`], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

function collected(child) {
  const heard = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (heard.text += chunk));
  return heard;
}

function ended(command) {
  const child = shell(command);
  const heard = collected(child);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: heard.text })));
}

function ready(command, at, waitFor) {
  const child = shell(command);
  const heard = collected(child);
  const file = /> (\S+)/.exec(command)?.[1];
  const said = () => (file === undefined ? heard.text : readFileSync(join(directory, file), 'utf8'));
  return new Promise((resolve, reject) => {
    const failed = (why) => reject(new Error(`${at}: ${why}: ${command}\n${heard.text}`));
    const timer = setTimeout(() => failed(`never printed "${waitFor}"`), STEP_MS);
    const looks = setInterval(() => {
      if (file !== undefined && !existsSync(join(directory, file))) return;
      if (!said().includes(waitFor)) return;
      clearTimeout(timer);
      clearInterval(looks);
      resolve(child);
    }, 200);
    child.once('close', (code) => {
      clearTimeout(timer);
      clearInterval(looks);
      failed(`ended with ${code}`);
    });
  });
}

async function stopped(child) {
  if (child.exitCode !== null) return;
  const end = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await end;
  clearTimeout(late);
}

/** A block that is a part of a configuration is laid over a workspace, and every variable that it names is set. */
function assertLoads({ text, at }) {
  const base =
    'workspaces:\n  default: { baseUrl: "https://catalog.example.com/api/v1", auth: { apiToken: "a" } }\n';
  const isWhole = /^(stores|server|workspaces|storeTemplate|notifications):/m.test(text);
  const lines = text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
  const body = isWhole
    ? text
    : `stores:\n  main:\n    workspace: default\n    shop: example.myshopify.com\n${lines}\n`;
  const file = join(directory, 'document.yaml');
  writeFileSync(file, /^workspaces:/m.test(text) ? body : base + body);
  const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
  const env = Object.fromEntries(
    names.map((name) => [name, name === 'ENCRYPTION_KEY' ? 'f0e1d2c3b4a59687'.repeat(4) : 'x'.repeat(32)]),
  );
  try {
    loadConfig({ configFile: file, env });
  } catch (error) {
    throw new Error(`${at}: the configuration is refused: ${error.message}`, { cause: error });
  }
}
