import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Ends the servers that a test run left, once the run is over in whatever way: its end of our stdin closes with it.
// A server is a file `processes/PID` in the run's directory that holds a text which its command line contains.

const directory = process.argv[2];
if (directory === undefined) throw new Error('usage: janitor.mjs DIRECTORY');

process.stdin.resume();
process.stdin.once('close', () => void tidyUp());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

async function tidyUp() {
  // Twice: a worker that dies with its run may just have been starting one.
  for (let round = 0; round < 2; round += 1) {
    for (const pid of await left()) await end(pid);
    if (round === 0) await sleep(100);
  }
  await rm(directory, { recursive: true, force: true });
}

async function left() {
  const names = await readdir(join(directory, 'processes')).catch(() => []);
  const pids = [];
  for (const name of names) {
    const mark = await readFile(join(directory, 'processes', name), 'utf8').catch(() => '');
    if (mark !== '' && (await isStillThat(Number(name), mark))) pids.push(Number(name));
  }
  return pids;
}

/** The pid may belong to another process now. Where the system shows it, the command line decides. */
async function isStillThat(pid, mark) {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(mark);
}

async function end(pid) {
  // SIGQUIT makes a PostgreSQL server drop everything at once, children included.
  for (const [signal, waitMs] of [
    ['SIGQUIT', 5000],
    ['SIGKILL', 1000],
  ]) {
    try {
      process.kill(pid, signal);
    } catch {
      return; // it ended by itself
    }
    for (let waited = 0; waited < waitMs; waited += 25) {
      if (!isAlive(pid)) return;
      await sleep(25);
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
