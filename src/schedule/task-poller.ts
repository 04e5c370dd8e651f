import { inBackground } from '../catalog/background.js';
import { Injectable } from '@nestjs/common';
import type { BackgroundTask } from '../catalog/background-task.js';
import { CodedError } from '../domain/errors.js';
import { isMetWith } from '../domain/error-policy.js';
import { pollKey } from '../domain/poll-key.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import type { GenerationTaskEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { ResultRepository } from '../persistence/result.repository.js';
import { killPoint } from '../runtime/kill-point.js';
import { Connections, type Workspace } from '../connections/connections.js';
import { Clock } from '../runtime/clock.js';
import { NewContent } from './new-content.js';
import { ResultSweep } from './result-sweep.js';

/** A task without news from the service for this long is given up. */
const ABANDONED_AFTER_HOURS = 24;

/**
 * Polls open generation tasks, because a delivery may be lost and the service does not notify twice
 * (docs/decisions/0006-polling-beside-webhooks.md). Each result becomes a delivery in the inbox, so that polls and
 * webhooks are interpreted by the same code.
 */
@Injectable()
export class TaskPoller {
  private readonly newContent: NewContent;
  private readonly sweep: ResultSweep;

  constructor(
    connections: Connections,
    private readonly tasks: TaskRepository,
    private readonly links: LinkRepository,
    private readonly deliveries: DeliveryRepository,
    results: ResultRepository,
    private readonly clock: Clock,
    state: StateRepository,
  ) {
    this.newContent = new NewContent(connections, results);
    this.sweep = new ResultSweep(tasks, links, deliveries, this.newContent, clock, state);
  }

  /** Looks for results without a request from here. Returns the ids of the deliveries that it put into the inbox. */
  async sweepResults(workspace: Workspace): Promise<string[]> {
    return inBackground(() => this.sweep.round(workspace));
  }

  /** Polls at most `limit` due tasks of the workspace, in the background. Returns the ids of the deliveries that it put into the inbox. */
  async pollDue(workspace: Workspace, limit: number): Promise<string[]> {
    const { key, settings } = workspace;
    const due = await this.tasks.takeDuePolls(limit, key, settings.tasks.pollSeconds);
    const asked = new Map<string, Promise<BackgroundTask | null>>();
    const ids = await inBackground(() => Promise.all(due.map((task) => this.#poll(task, workspace, asked))));
    return ids.filter((id) => id !== null);
  }

  async #poll(
    task: GenerationTaskEntity,
    workspace: Workspace,
    asked: Map<string, Promise<BackgroundTask | null>>,
  ): Promise<string | null> {
    try {
      const delivery = await this.#ask(task, workspace, asked);
      if (delivery !== null) {
        killPoint('poll.asked');
        const { id, isNew } = await this.#deliver(task, delivery);
        killPoint('poll.stored');
        // This result was stored by an earlier poll. If it was set aside, it will never end the task.
        if (!isNew) await this.#giveUpWhenOld(task);
        return id;
      }
      await this.#giveUpWhenOld(task);
      return null;
    } catch (error) {
      // A temporary fault or refused credentials: the next poll is already scheduled.
      if (isMetWith(error, 'poll', 'wait')) return null;
      if (!(error instanceof CodedError)) throw error;
      await this.tasks.note(task.id, error.message);
      await this.#giveUpWhenOld(task);
      return null;
    }
  }

  /** The delivery body for the task's end; null while the task runs. */
  async #ask(
    task: GenerationTaskEntity,
    workspace: Workspace,
    asked: Map<string, Promise<BackgroundTask | null>>,
  ): Promise<object | null> {
    const request = task.taskId === null ? null : await this.#record(workspace, task.taskId, asked);
    if (request === null) return this.#bySight(task, workspace);
    const product = { id: task.catalogId, externalId: task.externalId };
    const record = workspace.client.taskOfProduct(request, product) ?? request;
    if (record.state === 'running') return null;
    const description = taskBody(task, record.id, record.status);
    if (record.state === 'failed') {
      return {
        action: 'product_generation_failed',
        status: record.status,
        reason_for_failure: record.reason ?? '',
        task: description,
        product: { id: Number(task.catalogId), external_id: task.externalId },
      };
    }
    const generated = await workspace.client.getProduct(task.catalogId);
    return { action: 'product_generated', status: record.status, task: description, product: generated };
  }

  /** One request per task id, for all products of the task. Null when tasks are inaccessible or unknown. */
  async #record(
    workspace: Workspace,
    taskId: string,
    asked: Map<string, Promise<BackgroundTask | null>>,
  ): Promise<BackgroundTask | null> {
    const known = asked.get(taskId);
    if (known) return known;
    const request = workspace.client.getBackgroundTask(taskId).catch((error: unknown) => {
      if (isMetWith(error, 'task', 'give_up')) return null;
      throw error;
    });
    asked.set(taskId, request);
    return request;
  }

  /** Without a task to ask about, the product shows it: content that it did not hold when it was asked for was generated. */
  async #bySight(task: GenerationTaskEntity, workspace: Workspace): Promise<object | null> {
    const [product, link] = await Promise.all([
      workspace.client.getProduct(task.catalogId),
      this.links.get(task.externalId),
    ]);
    if (link === null || !(await this.newContent.since(link, task.askedFields, product))) return null;
    return {
      action: 'product_generated',
      status: 'SUCCESS',
      ...(task.taskId === null ? {} : { task: taskBody(task, task.taskId, 'SUCCESS') }),
      product,
    };
  }

  #deliver(task: GenerationTaskEntity, body: object): Promise<{ id: string; isNew: boolean }> {
    return this.deliveries.receive({
      workspace: task.workspace,
      dedupeKey: pollKey(task.id),
      via: 'poll',
      headers: {},
      rawBody: Buffer.from(JSON.stringify(body)),
      action: 'action' in body && typeof body.action === 'string' ? body.action : null,
    });
  }

  async #giveUpWhenOld(task: GenerationTaskEntity): Promise<void> {
    const ageMs = this.clock.now().getTime() - task.requestedAt.getTime();
    if (ageMs <= ABANDONED_AFTER_HOURS * 3_600_000) return;
    // Asking again costs credits. The service may have received a request that it never answered, so its result is awaited like any other.
    const isUnanswered = task.answeredAt === null && task.taskId === null;
    const reason = isUnanswered
      ? 'the request was never answered: asked again'
      : `no end was reported within ${String(ABANDONED_AFTER_HOURS)} hours`;
    await this.tasks.settle(task.id, { state: 'abandoned', settledBy: 'poll', reason });
    if (isUnanswered) await this.links.generationDueAgain(task.externalId);
  }
}

function taskBody(task: GenerationTaskEntity, id: string, status: string | null): object {
  return { id, status, created_at: task.requestedAt.toISOString() };
}
