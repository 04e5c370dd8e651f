import { WorkerHost } from '@nestjs/bullmq';
import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, Reflector } from '@nestjs/core';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import { QUEUE_NAMES } from './queue-names.js';

/** The key under which the `@Processor` decorator of @nestjs/bullmq keeps its options; the package does not export it. */
const PROCESSOR_METADATA = 'bullmq:processor_metadata';
const processorOptions = z.looseObject({ name: z.string() });

/**
 * Refuses to start when a queue has no processor, or more than one: jobs would wait forever, or be split between classes.
 * Its constructor throws `misconfigured`, because workers start with the first lifecycle hook.
 */
@Injectable()
export class ProcessorCheck {
  constructor(discovery: DiscoveryService, reflector: Reflector) {
    const found = new Map<string, string[]>(QUEUE_NAMES.map((queue) => [queue, []]));
    for (const { metatype } of discovery.getProviders()) {
      if (!isWorkerHost(metatype)) continue;
      const options = processorOptions.safeParse(reflector.get<unknown>(PROCESSOR_METADATA, metatype));
      const queue = options.success ? options.data.name : 'none';
      found.set(queue, [...(found.get(queue) ?? []), metatype.name]);
    }
    const problems = [...found].flatMap(([queue, processors]) => problemOf(queue, processors));
    if (problems.length > 0) throw new CodedError('misconfigured', problems.join('; '));
  }
}

function isWorkerHost(metatype: unknown): metatype is Type<WorkerHost> {
  return typeof metatype === 'function' && metatype.prototype instanceof WorkerHost;
}

function problemOf(queue: string, processors: readonly string[]): string[] {
  if (!QUEUE_NAMES.some((name) => name === queue))
    return [`processor ${processors.join(', ')} names the unknown queue "${queue}"`];
  if (processors.length === 0) return [`queue "${queue}" has no processor`];
  return processors.length === 1
    ? []
    : [`queue "${queue}" has ${processors.length} processors: ${processors.join(', ')}`];
}
