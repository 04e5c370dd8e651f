import { expect } from '@jest/globals';
import type { StoreRule } from './subject.js';

export function eventRules(rule: StoreRule): void {
  rule(
    'Events of a product come signed and name it; further calls do not make them come twice',
    async (store) => {
      const path = '/events/twice';
      const url = store.subject.receiver!.url(path);
      await store.connector.subscribe(url, null);
      await store.connector.subscribe(url, null);
      const id = await store.create();
      expect(await store.eventsOf(path, id, 1)).toHaveLength(1);
      await store.subject.keeper.edit(id, { title: store.unique() });
      expect(await store.eventsOf(path, id, 2)).toHaveLength(2);
      for (const { headers, body } of store.subject.receiver!.at(path))
        expect(['signed', 'greeting']).toContain(store.subject.events.verify(headers, body));
      await store.connector.subscribe(url, url);
    },
    ['deliveries'],
  );

  rule(
    'An event that was changed, has another’s signature or none is forged',
    async (store) => {
      const path = '/events/forged';
      const { events, receiver } = store.subject;
      await store.connector.subscribe(receiver!.url(path), null);
      const id = await store.create();
      const [event] = await store.eventsOf(path, id, 1);
      const { headers, body } = event!;
      const signature = Object.keys(headers).find((name) => /hmac|signature/.test(name))!;
      const changed = Buffer.from(body);
      changed[changed.length - 2] = changed[changed.length - 2]! ^ 1;
      const forgeries: [typeof headers, Buffer][] = [
        [headers, changed],
        [headers, Buffer.concat([body, Buffer.from(' ')])],
        [{ ...headers, [signature]: Buffer.alloc(32).toString('base64') }, body],
        [{ ...headers, [signature]: '' }, body],
        [{ ...headers, [signature]: String(headers[signature]).toLowerCase() }, body],
        [Object.fromEntries(Object.entries(headers).filter(([name]) => name !== signature)), body],
      ];
      for (const [asked, sent] of forgeries) expect(events.verify(asked, sent)).toBe('forged');
      // A duplicate names the same product: to read it again does no harm.
      expect(events.products(body)).toEqual(events.products(Buffer.from(body)));
      await store.connector.subscribe(receiver!.url(path), receiver!.url(path));
    },
    ['deliveries'],
  );

  rule(
    'A delete is announced, or only a whole read shows it, as the store does',
    async (store) => {
      const path = '/events/deletes';
      const { receiver, keeper, can } = store.subject;
      await store.connector.subscribe(receiver!.url(path), null);
      const id = await store.create();
      const before = (await store.eventsOf(path, id, 1)).length;
      await keeper.remove(id);
      const later = await store.create();
      await store.eventsOf(path, later, 1);
      const after = await store.eventsOf(path, id, can.announcesDeletes ? before + 1 : 0);
      expect(after.length).toBe(can.announcesDeletes ? before + 1 : before);
      const { ids, end } = await store.whole();
      expect([end.complete, ids.includes(id)]).toEqual([true, false]);
      await store.connector.subscribe(receiver!.url(path), receiver!.url(path));
    },
    ['deliveries'],
  );

  rule(
    'No event comes to a former address',
    async (store) => {
      const { receiver } = store.subject;
      const [former, now] = ['/events/former', '/events/now'];
      await store.connector.subscribe(receiver!.url(former), null);
      await store.connector.subscribe(receiver!.url(now), receiver!.url(former));
      const id = await store.create();
      expect(await store.eventsOf(now, id, 1)).toHaveLength(1);
      expect(await store.eventsOf(former, id, 0)).toEqual([]);
      await store.connector.subscribe(receiver!.url(now), receiver!.url(now));
    },
    ['deliveries'],
  );

  rule('A body that is no event of a product names none', async (store) => {
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '{"id":"x"}',
      'webhook_id=1',
      '{"code":"gone","message":"Invalid ID."}',
    ])
      expect(store.subject.events.products(Buffer.from(body))).toEqual([]);
  });
}

export function accessRules(rule: StoreRule): void {
  rule(
    'The store says who it is and that products may be written, and finds nothing wrong',
    async (store) => {
      const probe = await store.connector.probe();
      expect([probe.name === '', probe.mayWriteProducts]).toEqual([false, true]);
      const findings = await probe.findings();
      expect(findings.filter(({ level }) => level === 'fail')).toEqual([]);
    },
  );

  rule('A store without definitions takes free text, one with them says what stands where', async (store) => {
    const { target } = store.subject.section;
    const { freeText } = await store.connector.constraints([{ target, value: 'x' }]);
    expect(freeText).toBe(store.subject.can.takesFreeText);
  });

  rule('The page of a product in the admin is an address of the shop', async (store) => {
    const id = await store.create();
    expect(new URL(store.connector.adminUrl(id)).href).toContain(/\d+$/.exec(id)?.[0]);
  });

  rule(
    'A refused key is a matter of access, for reads and writes',
    async (store) => {
      const id = await store.create();
      const write = store.over(await store.live(id, 'title'), 'title', 'x');
      store.emulator.revoke();
      await expect(store.connector.readProducts([id])).rejects.toMatchObject({ code: 'auth' });
      await expect(store.write(id, write)).rejects.toMatchObject({ code: 'auth' });
    },
    ['emulator'],
  );
}
