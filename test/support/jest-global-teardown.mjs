/** Jest's global teardown: tells the janitor that the run is over, and waits until it has tidied up. */
export default async function tearDown() {
  const janitor = globalThis.storeSyncJanitor;
  if (janitor === undefined || janitor.exitCode !== null) return;
  const ended = new Promise((resolve) => janitor.once('exit', resolve));
  janitor.ref();
  janitor.stdin.end();
  await ended;
}
