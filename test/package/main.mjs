import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

// `npm run test:package`: packs the npm package, looks at its content, installs it in an empty directory as a user does, and runs
// `--version`, `check` and `demo` there. Exits with 1 when one of them fails.

const WANTED = [
  'bin/store-sync.js',
  'config/default.yaml',
  'config/example.yaml',
  'dist/main.js',
  'docs/operations.md',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'package.json',
];
const UNWANTED = /\.(spec|test)\.|^(src|test|build|data|node_modules|\.ci|\.github)\/|\.tsbuildinfo$|\.env/;
/** npm waits forever where an answer of the registry stops half way. So the installation is begun again; what was loaded is kept. */
const INSTALL_MS = 180_000;
const INSTALL_ATTEMPTS = 5;
const RUN_MS = 180_000;

const directory = mkdtempSync(join(tmpdir(), 'store-sync-package-'));
try {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const files = packed.files.map(({ path }) => path);
  const missing = WANTED.filter((path) => !files.includes(path));
  const tooMany = files.filter((path) => UNWANTED.test(path));
  if (missing.length > 0 || tooMany.length > 0)
    throw new Error(`the package lacks [${missing.join(', ')}] and must not have [${tooMany.join(', ')}]`);
  process.stdout.write(`${packed.filename}: ${String(files.length)} files, ${String(packed.size)} bytes\n`);

  const [tarball] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
  run('npm', ['init', '--yes'], INSTALL_MS);
  install(tarball);
  refuseScarf(join(directory, 'node_modules'));
  const installed = join(directory, 'node_modules', '.bin', 'store-sync');
  const version = run(installed, ['--version'], RUN_MS).trim();
  if (version !== packed.version)
    throw new Error(`--version says ${version}, the package is ${packed.version}`);
  // Without a configuration the check says what to do next, which is no failure of the installation.
  const check = run(installed, ['check'], RUN_MS);
  if (!check.includes('config/example.yaml')) throw new Error(`check does not lead on: ${check}`);
  run(installed, ['demo'], RUN_MS);
  process.stdout.write('installed from the tarball: --version, check and demo work\n');
} catch (error) {
  process.stderr.write(`${error.message}\n${error.stdout ?? ''}\n`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function install(tarball) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`], INSTALL_MS);
      return;
    } catch (error) {
      if (error.code !== 'ETIMEDOUT' || attempt === INSTALL_ATTEMPTS) throw error;
      process.stdout.write(`npm install did not end within ${String(INSTALL_MS / 1000)} s: again\n`);
    }
  }
}

/** @scarf/scarf reports installations, and comes with swagger-ui-dist. */
function refuseScarf(modules) {
  if (!existsSync(join(modules, 'express'))) throw new Error(`nothing was installed in ${modules}`);
  const found = ['@scarf', 'swagger-ui-dist', 'swagger-ui'].filter((name) => existsSync(join(modules, name)));
  if (found.length > 0) throw new Error(`the package must not bring ${found.join(', ')}`);
}

function run(command, args, timeout) {
  return execFileSync(command, args, {
    cwd: directory,
    encoding: 'utf8',
    timeout,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A user has the Node that the package asks for; the first one of this machine may be older.
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
      // Its own list of certificate authorities lacks that of a proxy, which the system trusts.
      NODE_USE_SYSTEM_CA: '1',
      STORE_SYNC_CONFIG: '',
    },
  });
}
