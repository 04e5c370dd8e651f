import { expect, it } from '@jest/globals';
import { startStoreSandbox } from './index.js';

it('pictures are drawn from their names, each the same every time', async () => {
  const store = await startStoreSandbox();
  try {
    const answer = await fetch(`${store.url}/pictures/catalogue/oak-tray-1.jpg?width=96`);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    const drawn = await answer.text();
    expect(drawn).toContain('>O</text>');
    expect(await (await fetch(`${store.url}/pictures/oak-tray-1.jpg`)).text()).toBe(drawn);
    expect((await fetch(`${store.url}/pictures/%3Cscript%3E.jpg`)).status).toBe(404);
  } finally {
    await store.stop();
  }
});
