import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Connections, type Workspace } from '../connections/connections.js';
import { SLOT_STATES, WebhookSlot } from '../connections/webhook-slot.js';

export const slotSchema = z.object({
  workspace: z.string(),
  state: z.enum(SLOT_STATES),
  detail: z.string(),
});
export type Slot = z.output<typeof slotSchema>;
export const slotsSchema = z.object({ items: z.array(slotSchema) });

export const slotBodySchema = z.strictObject({
  workspace: z.string().min(1).optional().describe('absent: every configured workspace'),
  force: z.boolean().default(false).describe("also over somebody else's URL"),
});
export const slotQuerySchema = slotBodySchema.pick({ workspace: true });

type SlotRequest = z.output<typeof slotBodySchema>;

/** The workspaces' webhook slots, one each (docs/catalog-rules.md#webhook-configuration). */
@Injectable()
export class WebhookSlotOperations {
  constructor(
    private readonly connections: Connections,
    private readonly slots: WebhookSlot,
  ) {}

  async show(workspace?: string): Promise<Slot[]> {
    return this.#each(workspace, (each) => this.slots.look(each));
  }

  /** The configuration afterwards: `foreign` where another system's URL was kept. */
  async register({ workspace, force }: SlotRequest): Promise<Slot[]> {
    return this.#each(workspace, (each) => this.slots.register(each, { force }));
  }

  async remove({ workspace, force }: SlotRequest): Promise<Slot[]> {
    return this.#each(workspace, (each) => this.slots.remove(each, { force }));
  }

  async #each(
    key: string | undefined,
    work: (workspace: Workspace) => Promise<Omit<Slot, 'workspace'>>,
  ): Promise<Slot[]> {
    const slots: Slot[] = [];
    for (const workspace of this.#workspaces(key)) {
      const { state, detail } = await work(workspace);
      slots.push({ workspace: workspace.key, state, detail });
    }
    return slots;
  }

  #workspaces(key: string | undefined): readonly Workspace[] {
    return key === undefined ? this.connections.workspaces : [this.connections.knownWorkspace(key)];
  }
}
