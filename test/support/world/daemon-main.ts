import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { openRuntime, readDaemonConfig } from '../../../src/cli/runtime.js';
import { startDaemon } from '../../../src/daemon.js';
import { KILL_POINTS, onKillPoint } from '../../../src/runtime/kill-point.js';
import { CLOCK_SKEW, skewClock } from './clock-skew.js';

// `daemon-main.ts CONFIG`: the daemon in its own process, which the test may end at any step. It reads these commands on stdin:
//
// - start: begin. Until then only the code is loaded, so that a successor can take over without delay.
// - die POINT: end by SIGKILL at that kill point, the next time it is reached.
// - stop POINT: pause by SIGSTOP there, once.
//
// With STORE_SYNC_TEST_CLOCK_SKEW_MS its clock is wrong by so much.
//
// It prints "loaded", "up", "armed POINT", "at POINT", and after a SIGTERM "stopped MILLISECONDS".

const [configFile] = process.argv.slice(2);
skewClock(Number(process.env[CLOCK_SKEW] ?? '0'));
let armed: { readonly point: string; readonly signal: 'SIGKILL' | 'SIGSTOP' } | null = null;

onKillPoint((point) => {
  if (point !== armed?.point) return;
  const { signal } = armed;
  armed = null;
  process.stdout.write(`at ${point}\n`);
  process.kill(process.pid, signal);
  // The signal arrives a moment later. The thread must do nothing until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, signal === 'SIGKILL' ? undefined : 100);
});

async function start(): Promise<void> {
  const runtime = await openRuntime(readDaemonConfig(configFile, undefined), 'stderr');
  const daemon = await startDaemon(runtime);
  process.once('SIGTERM', () => {
    const began = performance.now();
    void daemon
      .stop()
      .then(() => runtime.release())
      .then(() => {
        process.stdout.write(`stopped ${String(Math.round(performance.now() - began))}\n`);
        process.exit(0);
      });
  });
  process.stdout.write('up\n');
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'start') {
    start().catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    });
    return;
  }
  const [what, point = ''] = line.split(' ');
  if (!KILL_POINTS.some((known) => known === point)) throw new Error(`unknown command: ${line}`);
  armed = { point, signal: what === 'die' ? 'SIGKILL' : 'SIGSTOP' };
  process.stdout.write(`armed ${point}\n`);
});

process.stdout.write('loaded\n');
