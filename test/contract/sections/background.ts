import { expect } from '@jest/globals';
import {
  inOwnSandbox,
  expectDetail,
  expectFieldErrors,
  expectSuccess,
  productOf,
  taskEnd,
  type Contract,
  type RuleTest,
} from '../harness.js';
import { taskIdOf } from '../contract.js';
import { pageShape, taskListShape } from '../shapes.js';

/** "CSV upload of products", "Generation" and "Background tasks". */
export function backgroundRules(rule: RuleTest): void {
  csvRules(rule);
  generationRules(rule);
  taskRules(rule);
}

async function upload(contract: Contract, text: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await contract.api.call('POST', '/products/upload-csv/', {
    raw: { type: 'text/csv', bytes: text },
  });
  expect(answer).toMatchObject({ status: 202, body: { task_id: expect.any(String) } });
  return contract.taskEnd((answer.body as { task_id: string }).task_id);
}

function csvRules(rule: RuleTest): void {
  rule(
    'CSV-01',
    { needs: ['tasks'], assumes: 'the path and the columns of the upload' },
    async (contract) => {
      const sku = contract.unique('sku');
      const task = await upload(
        contract,
        `sku,name,open_attributes\n${sku},"Kettle, big","{""colour"":""red""}"\n`,
      );
      expect(task).toMatchObject({ status: 'SUCCESS', result: { created: 1, updated: 0, errors: [] } });
      const [product] = pageShape.parse((await contract.api.get('/products/', { search: sku })).body).results;
      expect(product).toMatchObject({ sku, name: 'Kettle, big', open_attributes: { colour: 'red' } });
      if (product !== undefined) contract.remember(product);
    },
  );

  rule('CSV-02', async (contract) => {
    const product = await contract.create({ sku: contract.unique('sku'), name: 'before', brand: 'Acme' });
    const task = await upload(contract, `sku,name,brand\n${String(product['sku'])},after,\n`);
    expect(task).toMatchObject({ result: { created: 0, updated: 1 } });
    expect(await contract.read(product.id)).toMatchObject({ name: 'after', brand: 'Acme' });
  });

  rule('CSV-03', async (contract) => {
    const taken = contract.unique('sku');
    await contract.create({ sku: taken });
    const other = await contract.create();
    const rows = [
      'external_id,sku,url,tags_to_update,images,notes',
      `${contract.unique()},${contract.unique('sku')},https://example.com/,1|2,https://example.com/a.png,x`,
      `${contract.unique()},${contract.unique('sku')},nowhere,one,,`,
      `${String(other['external_id'])},${taken},,,,`,
      'a,b,c,d,e,f,g',
    ];
    const task = await upload(contract, `\uFEFF${rows.join('\r\n')}\r\n`);
    expect(task).toMatchObject({
      status: 'SUCCESS',
      result: {
        created: 1,
        updated: 0,
        ignored_columns: ['notes'],
        errors: [
          { line: 3, fields: { url: [expect.any(String)], 'tags_to_update.0': [expect.any(String)] } },
          { line: 4, fields: { sku: [expect.any(String)] } },
          { line: 5, fields: { non_field_errors: [expect.any(String)] } },
        ],
      },
    });
  });

  rule('CSV-04', async (contract) => {
    const sku = contract.unique('sku');
    const form = new FormData();
    form.set('file', new Blob([`sku\n${sku}\n`], { type: 'text/csv' }), 'products.csv');
    const answer = await contract.api.call('POST', '/products/upload-csv/', { raw: form });
    const task = await contract.taskEnd((answer.body as { task_id: string }).task_id);
    expect(task).toMatchObject({ status: 'SUCCESS', result: { created: 1 } });
    const json = await contract.api.call('POST', '/products/', {
      raw: { type: 'text/csv', bytes: 'sku\na\n' },
    });
    expectDetail(json, 415);
  });

  rule('CSV-05', async ({ api }) => {
    const send = (bytes: string | Uint8Array<ArrayBuffer>) =>
      api.call('POST', '/products/upload-csv/', { raw: { type: 'text/csv', bytes } });
    expectFieldErrors(await send('colour,price\nred,1\n'), 'file');
    expectFieldErrors(await send('sku,name\n"open quote'), 'file');
    expectFieldErrors(await send(new Uint8Array([0x73, 0x6b, 0x75, 0x0a, 0xff])), 'file');
    expectFieldErrors(await api.call('POST', '/products/upload-csv/', {}), 'file');
  });
}

function generationRules(rule: RuleTest): void {
  rule('GENERATE-01', { needs: ['generation', 'tasks'] }, async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    const taskId = await contract.requestGeneration(product.id);
    if (taskId === undefined) throw new Error('The answer names no task');
    await contract.taskEnd(taskId);
  });

  rule('GENERATE-02', { needs: ['generation', 'tasks'] }, async (contract) => {
    const good = await contract.create({ name: 'Kettle' });
    const bad = await contract.create({ name: 'Kettle', metadata: { tags: ['sandbox-failed'] } });
    const batch = await contract.generate(good.id, bad.id, good.id);
    expect(batch).toMatchObject({
      status: 'SUCCESS',
      result: { succeeded: 1, failed: 1 },
      products: [
        { id: good.id, external_id: good['external_id'], status: 'SUCCESS', error: null },
        { id: bad.id, status: 'FAILURE', error: expect.any(String) },
      ],
    });
    for (const { task_id: taskId } of batch['products'] as { task_id: string }[]) {
      expect(await contract.taskEnd(taskId)).toMatchObject({
        parent_task_id: batch['task_id'],
        kind: 'generate_product',
      });
    }
  });

  rule('GENERATE-03', { needs: ['generation'] }, async (contract) => {
    const product = await contract.create({ name: 'kettle', brand: 'Acme' });
    await contract.requestGeneration(product.id);
    const content = ({ name, description, html_description, sections }: Record<string, unknown>) =>
      JSON.stringify([name, description, html_description, sections]);
    const generated = await contract.eventually('new content', async () => {
      const now = await contract.read(product.id);
      return content(now) === content(product) ? undefined : now;
    });
    expect(Array.isArray(generated.sections)).toBe(true);
  });

  rule('GENERATE-03', { note: 'made of its attributes', needs: ['sandbox'] }, async (contract) => {
    const written = { name: 'kettle', brand: 'Acme', open_attributes: { material: 'Steel', litres: 1.7 } };
    const product = await contract.create(written);
    await contract.generate(product.id);
    const generated = await contract.read(product.id);
    expect(generated).toMatchObject({
      name: 'Acme kettle – Steel',
      description: expect.stringContaining('Steel'),
      html_description: expect.stringContaining('<li><strong>Material:</strong> Steel</li>'),
    });
    expect(generated.sections).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'material', value: 'Steel' }),
        expect.objectContaining({ code: 'litres', value: 1.7 }),
      ]),
    );
  });

  rule(
    'GENERATE-04',
    { needs: ['failing', 'tasks'], assumes: 'the names of a task’s fields' },
    async (contract) => {
      const product = await contract.create({
        name: 'Kettle',
        open_attributes: { tags: ['sandbox-failed'] },
      });
      expect(await contract.generate(product.id)).toMatchObject({
        status: 'FAILURE',
        products: [{ status: 'FAILURE', error: 'Content generation failed.' }],
      });
      expect(await contract.read(product.id)).toMatchObject({ name: 'Kettle', sections: [] });
    },
  );

  rule(
    'GENERATE-05',
    { needs: ['no urls', 'tasks'], assumes: 'the names of a task’s fields' },
    async (contract) => {
      const product = await contract.create({
        name: 'Kettle',
        metadata: { tags: ['kitchen', 'sandbox-no-urls'] },
      });
      expect(await contract.generate(product.id)).toMatchObject({
        status: 'FAILURE',
        products: [{ status: 'FAILURE', error: 'No source URLs could be found for the product.' }],
      });
    },
  );

  inOwnSandbox(rule, 'GENERATE-06', { credits: 1 }, async (own) => {
    const ids: number[] = [];
    for (const sku of ['a', 'b']) ids.push(productOf(await own.api.post('/products/', { sku })).id);
    const answer = await own.api.post('/products/generate/', { product_ids: ids });
    const task = await taskEnd(own.api, (answer.body as { task_id: string }).task_id);
    expect(task).toMatchObject({ result: { succeeded: 1, failed: 1 } });
    expect((task['products'] as { error: string | null }[]).map(({ error }) => error).sort()).toEqual([
      'No credits remaining.',
      null,
    ]);
  });

  rule('GENERATE-07', { needs: ['generation'] }, async (contract) => {
    const product = await contract.create();
    expectFieldErrors(
      await contract.api.post('/products/generate/', { product_ids: [product.id, 2_000_000_000] }),
      'product_ids',
    );
    expectFieldErrors(await contract.api.post('/products/generate/', { product_ids: [] }), 'product_ids');
    expectFieldErrors(await contract.api.post('/products/generate/', {}), 'product_ids');
  });

  rule('GENERATE-08', { needs: ['generation', 'tasks'] }, async (contract) => {
    const product = await contract.create({
      name: '<b>Kettle</b> & co',
      description: 'Boils. Whistles. Shines.',
    });
    await contract.generate(product.id);
    const first = await contract.read(product.id);
    expect(first['html_description']).toContain('not by AI');
    expect(first['html_description']).toContain('&lt;b&gt;Kettle&lt;/b&gt; &amp; co');
    await contract.generate(product.id);
    expect(await contract.read(product.id)).toEqual(first);
    await contract.api.patch(`/products/${product.id}/`, { name: 'Pot' });
    expect(await contract.read(product.id)).toEqual({ ...first, name: 'Pot' });
    await contract.generate(product.id);
    expect((await contract.read(product.id))['html_description']).toContain('Pot');
  });
}

function taskRules(rule: RuleTest): void {
  rule(
    'TASK-01',
    { needs: ['generation', 'tasks'], assumes: 'the list is a page with the newest first' },
    async (contract) => {
      const product = await contract.create({ name: 'Kettle' });
      const taskId = await contract.requestGeneration(product.id);
      const answer = await contract.api.get('/background-tasks/');
      expectSuccess(answer);
      expect(taskListShape.parse(answer.body).results.map(taskIdOf)).toContain(taskId);
    },
  );

  rule('TASK-01', { note: 'with a success', needs: ['tasks'] }, async ({ api }) => {
    expectSuccess(await api.get('/background-tasks/'));
  });

  rule('TASK-02', { needs: ['generation', 'tasks'] }, async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    const taskId = await contract.requestGeneration(product.id);
    const answer = await contract.api.get(`/background-tasks/${String(taskId)}/`);
    expect(taskIdOf(answer.body)).toBe(taskId);
  });

  rule('TASK-03', { needs: ['generation', 'tasks'] }, async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    const task = await contract.generate(product.id);
    expect(Object.values(task)).toContain('SUCCESS');
  });

  rule('TASK-04', { needs: ['tasks'] }, async ({ api }) => {
    expectDetail(await api.get('/background-tasks/999999999/'), 404);
  });

  rule(
    'TASK-04',
    { note: 'also by a word', needs: ['tasks'], assumes: 'a word is no id of a task' },
    async ({ api }) => {
      expectDetail(await api.get('/background-tasks/none/'), 404);
    },
  );

  inOwnSandbox(rule, 'TASK-05', { backgroundDelayMs: 60_000 }, async (own) => {
    const ends = async (body: object, meanwhile: () => Promise<unknown>): Promise<unknown> => {
      const answer = await own.api.post('/products/', body);
      const { background_task_id: taskId } = answer.body as { background_task_id: number };
      expect((await own.api.get(`/background-tasks/${taskId}/`)).body).toMatchObject({
        status: 'PENDING',
      });
      await meanwhile();
      own.clock.advance(60_000);
      return taskEnd(own.api, taskId);
    };
    expect(await ends({ variants: [{ sku: 'a' }] }, () => Promise.resolve())).toMatchObject({
      status: 'SUCCESS',
    });
    const failed = await ends({ variants: [{ sku: 'b' }] }, () => own.api.post('/products/', { sku: 'b' }));
    expect(failed).toMatchObject({
      status: 'FAILURE',
      result: { field_errors: { 'variants.0.sku': [expect.any(String)] } },
    });
  });

  rule('TASK-07', { needs: ['tasks'] }, async (contract) => {
    const answer = await contract.api.post('/products/', { variants: [{ sku: contract.unique() }] });
    const { background_task_id: taskId } = answer.body as { background_task_id: number };
    expectSuccess(await contract.api.get(`/background-tasks/${taskId}/`));
  });

  inOwnSandbox(rule, 'TASK-08', { backgroundDelayMs: 60_000 }, async (own) => {
    const answer = await own.api.post('/products/', { sku: 'm', variants: [{ sku: 'a' }] });
    const { background_task_id: taskId } = answer.body as { background_task_id: number };
    await own.restart();
    own.clock.advance(60_000);
    expect(await taskEnd(own.api, taskId)).toMatchObject({ status: 'SUCCESS' });
  });
}
