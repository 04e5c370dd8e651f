import { isCoded } from '../../../src/domain/errors.js';
import { startQueueApplication } from './application.js';

// A start that fails, in a process of its own: says "refused CODE" and is expected to end by itself, holding nothing open.

try {
  await startQueueApplication({
    storage: { kind: 'postgres', databaseUrl: 'postgres://127.0.0.1:1/none' },
    waitMs: 100,
  });
} catch (error) {
  console.log(`refused ${isCoded(error) ? error.code : String(error)}`);
}
