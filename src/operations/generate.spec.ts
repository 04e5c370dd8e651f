import { expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Connections } from '../connections/connections.js';
import type { HistoryRepository } from '../persistence/history.repository.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { TaskRepository } from '../persistence/task.repository.js';
import type { GenerationRequester } from '../sync/generation.js';
import { generateAnswerSchema, GenerateOperations } from './generate.js';

it('an answer that a limit cut short has the documented fields alone', async () => {
  const store = { key: 'main', workspace: { settings: { generation: { maxPerRun: 1 } } } };
  const outcome = { requested: 1, stopped: 'generation.maxPerRun (1) reached', atLimit: true };
  const operations = new GenerateOperations(
    { namedStore: () => store } as unknown as Connections,
    {} as LinkRepository,
    {} as TaskRepository,
    { toGenerate: () => Promise.resolve([]) } as unknown as HistoryRepository,
    { requestGiven: () => Promise.resolve(outcome) } as unknown as GenerationRequester,
  );
  const request = { store: 'main', ids: [], force: false };
  const answer = await operations.generate(request, new AbortController().signal);
  expect(z.strictObject(generateAnswerSchema.shape).parse(answer)).toMatchObject({ requested: 1 });
});
