import { Injectable } from '@nestjs/common';
import type { Permissions } from '../domain/approval.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { BULK_ACTIONS, type BulkAction } from '../domain/write-back-filter.js';
import { approvalSummary, countApprovals } from '../operations/approval-summary.js';
import { actingUser, type CommandChange } from '../operations/audit.js';
import type { RowOutcome } from '../operations/paging.js';
import {
  namedTexts,
  writeBackFilterSchema,
  writeBackQuerySchema,
  type WriteBackQuery,
} from '../operations/write-back-filter.js';
import { ProductNames } from '../operations/product-names.js';
import type { PresentedWriteBack } from '../operations/present-write-back.js';
import { WriteBackOperations } from '../operations/write-backs.js';
import { BulkFollower } from './bulk-follower.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { fieldLine } from './field-line.js';
import { print, printJson, printPage } from './output.js';
import {
  LIST_OPTIONS,
  parsedQuery,
  queryFrom,
  reportOutcomes,
  withoutOptions,
  type ListOptions,
} from './list-options.js';
import { actionOf, idsFor, nothingMore, paintState, printable, quoted } from './terminal.js';
import { reportFailure } from './report.js';

const DECISIONS = ['approve', 'reject', 'revert', 'undo', 'reapply'] as const;
const ACTIONS = ['list', 'show', ...DECISIONS] as const;
type Action = (typeof ACTIONS)[number];

interface WriteBackOptions extends ListOptions {
  readonly all?: boolean;
  readonly run?: string;
  readonly filter?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly reason?: string;
  readonly overwriteEdits?: boolean;
  readonly passGates?: boolean;
}

@Injectable()
class WriteBacksAction {
  constructor(
    readonly writeBacks: WriteBackOperations,
    readonly bulk: BulkFollower,
    readonly names: ProductNames,
  ) {}
}

export class WriteBacksCommand extends StoreSyncCommand<WriteBackOptions> {
  override readonly args = {
    '[action]':
      'list (default) | show ID | approve ID… | reject ID… | undo ID… | revert ID… | reapply ID…; or with --all or --run',
    '[ids...]': 'ids of write-backs',
  };
  override readonly options = [
    { flags: '--all', description: 'all write-backs that --store, --run and --filter select' },
    { flags: '--run <id>', description: 'write-backs of the run with this id' },
    {
      flags: '--filter <name=value>',
      description:
        'name=value, also several times: state, field, outcome, gate, fate, actor, search, day, from, to, externalId',
      repeated: true,
    },
    {
      flags: '--dry-run',
      description: 'revert: shows what would be restored and what would be left; writes nothing',
    },
    { flags: '--yes', description: 'confirms the change without a question' },
    { flags: '--reason <text>', description: 'reject: why' },
    {
      flags: '--overwrite-edits',
      description: 'approve, of several: also write fields that the merchant edited since',
    },
    { flags: '--pass-gates', description: 'approve, of several: also write texts that a gate holds back' },
    ...LIST_OPTIONS,
  ];

  protected override needsStore(
    { all, run }: WriteBackOptions,
    [action = '', ...ids]: readonly string[],
  ): boolean {
    const isBulk = BULK_ACTIONS.some((each) => each === action);
    return isBulk && all === true && run === undefined && ids.length === 0;
  }

  protected override change(
    { run, store, filter = [], dryRun = false, reason, overwriteEdits, passGates }: WriteBackOptions,
    [action = '', ...ids]: readonly string[],
  ): CommandChange | null {
    if (!DECISIONS.some((each) => each === action)) return null;
    return {
      what: `write-back ${action}${dryRun ? ' (dry run)' : ''}`,
      targets: ids,
      details: {
        ...(ids.length === 0 && { run, store, filter }),
        ...(reason !== undefined && { reason }),
        ...(overwriteEdits === true && { overwriteEdits }),
        ...(passGates === true && { passGates }),
      },
    };
  }

  protected async execute(options: WriteBackOptions, [given, ...ids]: readonly string[]): Promise<number> {
    const action = actionOf('write-backs', ACTIONS, given);
    const isBulk = options.all === true || (options.run !== undefined && action !== 'list');
    checkUse(action, ids, options, isBulk);
    if (action === 'list' || action === 'show') return this.#read(options, action, ids);
    const signal = interruptSignal();
    return this.withService(options, WriteBacksAction, async ({ writeBacks, bulk }) => {
      if (isBulk) return bulk.run(bulkRequest(action, options), bulkOptions(options, signal));
      const permissions = permissionsOf(options);
      const isOneOfMany =
        action === 'approve' && (ids.length > 1 || permissions.overwriteEdits || permissions.passGates);
      const by = { actor: actingUser(), reason: options.reason, ...(isOneOfMany && { permissions }) };
      const outcomes = await writeBacks.decide(ids, action, by);
      return isOneOfMany ? reportApprovals(outcomes, options.json) : reportOutcomes(outcomes, options.json);
    });
  }

  #read(options: WriteBackOptions, action: 'list' | 'show', ids: readonly string[]): Promise<number> {
    const query = listQuery(options, action);
    return this.withService(options, WriteBacksAction, async ({ writeBacks, names }) => {
      if (action === 'show') return printOne(await writeBacks.show(ids[0] ?? ''), options.json);
      const page = await writeBacks.list(query);
      const titles = await names.of(page.items.map(({ externalId }) => externalId));
      printPage(page, 'write-backs', options, (writeBack) => {
        print(headLine(writeBack, titles.get(writeBack.externalId)));
        for (const field of writeBack.fields) print(`    ${fieldLine(field)}`);
      });
      return 0;
    });
  }
}

/** Throws `invalid` for options and arguments that do not belong together. */
function checkUse(action: Action, ids: readonly string[], options: WriteBackOptions, isBulk: boolean): void {
  if (action === 'list') nothingMore('write-backs list', ids);
  else if (!isBulk) idsFor('write-backs', action, ids);
  else if (ids.length > 0)
    throw new CodedError('invalid', `write-backs ${action} takes either ids, or --all or --run`);
  if (action === 'show') nothingMore('write-backs show ID', ids.slice(1));
  if (isBulk && bulkActionOf(action) === null)
    throw new CodedError('invalid', `write-backs ${action} does not take --all or --run`);
  if (isBulk && options.store === undefined && options.run === undefined)
    throw new CodedError('invalid', 'name the store with --store, or a run with --run');
  if (isBulk) withoutOptions(`write-backs ${action}`, options, ['limit', 'offset']);
  else if (action !== 'list')
    withoutOptions(`write-backs ${action} ID`, options, ['state', 'filter', 'limit', 'offset']);
  if (options.dryRun === true && (action !== 'revert' || !isBulk))
    throw new CodedError('invalid', '--dry-run belongs to revert with --all or --run');
  if ((options.overwriteEdits === true || options.passGates === true) && action !== 'approve')
    throw new CodedError('invalid', '--overwrite-edits and --pass-gates belong to approve');
  if (options.reason !== undefined && (action !== 'reject' || isBulk))
    throw new CodedError('invalid', '--reason belongs to reject with ids');
}

function bulkActionOf(action: Action): BulkAction | null {
  return BULK_ACTIONS.find((each) => each === action) ?? null;
}

function bulkRequest(action: Action, { dryRun = false, ...options }: WriteBackOptions) {
  const filter = parsedQuery(writeBackFilterSchema, textsOf(options));
  return { action: bulkActionOf(action) ?? 'approve', filter, dryRun, ...permissionsOf(options) };
}

function permissionsOf({ overwriteEdits = false, passGates = false }: WriteBackOptions): Permissions {
  return { overwriteEdits, passGates };
}

/** The exit status is 3 when some were left to the merchant or a gate, and 1 when one was refused for another reason. */
function reportApprovals(outcomes: readonly RowOutcome[], json: boolean | undefined): number {
  const counts = countApprovals(outcomes);
  if (json) printJson({ results: outcomes, ...counts });
  else {
    for (const { id, ok, left, detail } of outcomes)
      if (ok || left !== undefined) print(`${id}  ${ok ? '' : 'left: '}${printable(detail)}`);
    print(approvalSummary(counts));
  }
  const refused = outcomes.filter(({ ok, left }) => !ok && left === undefined);
  if (refused.length > 0) reportFailure(refused.map(({ detail }) => errorLine(detail)).join('; '));
  if (refused.length > 0) return 1;
  return counts.leftEdited + counts.leftGated > 0 ? 3 : 0;
}

function bulkOptions({ json = false, yes = false }: WriteBackOptions, signal: AbortSignal) {
  return { json, yes, signal };
}

function textsOf({ store, run, state, filter = [] }: WriteBackOptions): Record<string, string> {
  return {
    ...(store !== undefined && { store }),
    ...(run !== undefined && { run }),
    ...(state !== undefined && { state }),
    ...namedTexts(filter),
  };
}

function listQuery(options: WriteBackOptions, action: Action): WriteBackQuery {
  if (action !== 'list') return queryFrom(writeBackQuerySchema, {});
  return queryFrom(writeBackQuerySchema, options, textsOf(options));
}

/** A time, the state and the product, and the reason for the state. */
function headLine({ id, createdAt, state, externalId, reason }: PresentedWriteBack, name?: string): string {
  const title = name === undefined ? '' : `${printable(name, 80)}  `;
  return `${id}  ${createdAt}  ${paintState(state, 14)}  ${title}${externalId}${reason === null ? '' : `: ${printable(reason)}`}`;
}

function printOne(writeBack: PresentedWriteBack, json: boolean | undefined): number {
  if (json) {
    printJson(writeBack);
    return 0;
  }
  print(headLine(writeBack));
  if (writeBack.decidedBy !== null) {
    // The row also names who edited it, or who took a decision back, while it still waits for a decision.
    const isOpen = writeBack.state === 'pending_review';
    print(
      `  ${isOpen ? 'last changed' : 'decided'} by ${printable(writeBack.decidedBy)} at ${writeBack.decidedAt ?? ''}` +
        (isOpen ? ', and waits for a decision' : ''),
    );
  }
  for (const field of writeBack.fields) {
    print(`  ${fieldLine(field)}`);
    if (field.came !== null) print(`      generated as ${quoted(field.came, 80)}, then edited by a person`);
    for (const { target, gate, detail } of writeBack.gates)
      if (target === field.target) print(`      gate ${gate}: ${printable(detail)}`);
  }
  for (const { target, by, at, value } of writeBack.declined)
    print(`  ${target}: declined by ${printable(by)} at ${at}: ${quoted(value, 60)}`);
  for (const { from, fate, setting, excerpt } of writeBack.arrived) {
    if (fate === 'mapped') continue;
    // The value has no setting that maps it, so the store cannot hold it.
    print(
      setting === null
        ? `  ${printable(from)}: unusable, the store cannot hold ${quoted(excerpt, 60)}`
        : `  ${printable(from)}: not mapped (${setting} would write ${quoted(excerpt, 60)})`,
    );
  }
  for (const { url, score, given } of writeBack.sources) {
    const origin = given === true ? 'given' : 'found';
    print(`  source ${origin}${score === null ? '' : `, score ${score}`}: ${printable(url, 200)}`);
  }
  if (writeBack.creditsConsumed !== null) print(`  credits consumed: ${writeBack.creditsConsumed}`);
  return 0;
}
