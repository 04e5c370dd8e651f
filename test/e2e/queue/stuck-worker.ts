import { createInterface } from 'node:readline';
import { startQueueApplication } from './application.js';

// A worker in a process of its own that begins jobs and never ends them. Arguments: database URL. Says "working on ID";
// "enqueue ID" on stdin asks for one.

const [databaseUrl = ''] = process.argv.slice(2);
const application = await startQueueApplication({ storage: { kind: 'postgres', databaseUrl } });
application.ledger.work = async (id) => {
  console.log(`working on ${id}`);
  await new Promise(() => undefined);
};
const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const [, id] = /^enqueue (.+)$/.exec(line) ?? [];
  if (id !== undefined) void application.jobs.enqueue('runs', id);
});
// The test that started it has died.
input.once('close', () => process.exit(1));
console.log('ready');
