/** Jest's global teardown: signals the end of the run to the janitor, and waits until it has cleaned up. */
export default async function tearDown() {
  const janitor = globalThis.storeSyncJanitor;
  if (janitor === undefined || janitor.exitCode !== null) return;
  const ended = new Promise((resolve) => janitor.once('exit', resolve));
  janitor.ref();
  janitor.stdin.end();
  await ended;
}
