import { describe, expect, it } from '@jest/globals';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { ProcessorCheck } from './processor-check.js';
import { QUEUE_NAMES } from './queue-names.js';

/** A new processor class for the queue. */
function processorOf(queue: string, name = `${queue} processor`): Type<WorkerHost> {
  const made = {
    [name]: class extends WorkerHost {
      process(): Promise<void> {
        return Promise.resolve();
      }
    },
  }[name]!;
  Processor(queue)(made);
  return made;
}

async function start(...processors: Type<WorkerHost>[]): Promise<void> {
  await Test.createTestingModule({
    imports: [DiscoveryModule],
    providers: [ProcessorCheck, ...processors],
  }).compile();
}

const one = QUEUE_NAMES.map((queue) => processorOf(queue));

describe('the start of the daemon', () => {
  it('passes when each queue has one processor', async () => {
    await expect(start(...one)).resolves.toBeUndefined();
  });

  it('fails when a queue has no processor, and names the queue', async () => {
    await expect(start(...one.slice(1))).rejects.toMatchObject({
      code: 'misconfigured',
      message: 'queue "runs" has no processor',
    });
  });

  it('fails when a queue has two processors, and names them', async () => {
    await expect(start(...one, processorOf('runs', 'SecondProcessor'))).rejects.toThrow(
      'queue "runs" has 2 processors: runs processor, SecondProcessor',
    );
  });

  it('fails when a processor names a queue that does not exist', async () => {
    await expect(start(...one, processorOf('runz', 'Lost'))).rejects.toThrow(
      'processor Lost names the unknown queue "runz"',
    );
  });
});
