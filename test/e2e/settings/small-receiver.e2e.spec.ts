import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Program } from '../../support/e2e-program.js';
import { ownPort } from '../../support/ports.js';
import { imageEnvironment } from '../../support/image-environment.js';
import { createMigratedDatabase } from '../../support/postgres.js';
import { runDirectory } from '../../support/run-directory.js';

const MOST_MEGABYTES = 120;

/** Prints at the end what the process has loaded and taken. */
const REPORT = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs';
  import { getCompileCacheDir } from 'node:module';
  import { setFlagsFromString } from 'node:v8';
  let formatters = 0;
  Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
    construct: (target, args) => { formatters += 1; return Reflect.construct(target, args); },
    apply: (target, self, args) => { formatters += 1; return Reflect.apply(target, self, args); },
  });
  // Asks for a function by the slow compiler. By itself it would come on another thread, at a time that is up to the machine.
  const compilesSlowly = () => {
    setFlagsFromString('--allow-natives-syntax');
    return new Function(
      'const hot = (list) => { let sum = 0; for (const each of list) sum += each.length; return sum; };' +
        'const list = ["one", "two"];' +
        '%PrepareFunctionForOptimization(hot); hot(list); hot(list);' +
        '%OptimizeFunctionOnNextCall(hot); hot(list);' +
        'return %ActiveTierIsTurbofan(hot);',
    )();
  };
  process.on('exit', () => {
    const cached = getCompileCacheDir() !== undefined;
    // Not maxRSS: the kernel counts into it what the process held that started this one.
    const peakMegabytes = Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
    process.stderr.write('report ' + JSON.stringify({ formatters, cached, peakMegabytes, slow: compilesSlowly() }));
  });
`)}`;

const reportSchema = z.object({
  formatters: z.number(),
  cached: z.boolean(),
  peakMegabytes: z.number(),
  /** True when V8's slow compiler is in use. */
  slow: z.boolean(),
});
type Report = z.infer<typeof reportSchema>;

/** Starts a process of these roles, stops it when it is ready, and answers its report. */
async function reportOf(databaseUrl: string, roles: string): Promise<Report> {
  const cwd = await mkdtemp(join(runDirectory(), 'small-'));
  const program = await Program.start(['start', '--roles', roles], {
    cwd,
    env: {
      DATABASE_URL: databaseUrl,
      PORT: String(await ownPort()),
      ...imageEnvironment(),
      NODE_OPTIONS: `--max-semi-space-size=4 --import=${REPORT}`,
    },
  });
  await program.said((line) => line.includes('store-sync is up'));
  program.signal('SIGTERM');
  expect(await program.exit()).toBe(0);
  return reportSchema.parse(JSON.parse(program.stderr.replace(/^[^]*report /, '')));
}

let receiver: Report;
let whole: Report;
beforeAll(async () => {
  const { url } = await createMigratedDatabase();
  receiver = await reportOf(url, 'receive');
  whole = await reportOf(url, 'receive,work,admin');
});

describe('a process that only receives', () => {
  it(`starts within ${String(MOST_MEGABYTES)} MB`, () => {
    expect(receiver.peakMegabytes).toBeLessThanOrEqual(MOST_MEGABYTES);
    expect(receiver.peakMegabytes).toBeLessThan(whole.peakMegabytes);
  });

  it('does not load the data of all languages and time zones, which takes 8 MB', () => {
    expect(receiver.formatters).toBe(0);
  });

  it('does without the compiler that would take all processors at once, unlike a process of all roles', () => {
    expect([receiver.slow, whole.slow]).toEqual([false, true]);
  });

  it('does not keep what the compile cache holds, unlike a process of all roles', () => {
    expect([receiver.cached, whole.cached]).toEqual([false, true]);
  });
});
