import { afterAll, it } from '@jest/globals';
import type { Contract } from './contract.js';
import { RULES } from './rules.js';
import { SandboxControl } from './sandbox-control.js';
import { openTarget, type Need } from './target.js';

export { Contract, taskEnd } from './contract.js';
export * from './expectations.js';
export { SandboxControl };

export interface RuleOptions {
  readonly needs?: readonly Need[];
  /** Which of a rule's cases this is. */
  readonly note?: string;
  /**
   * The test takes this for granted beyond the documented rule, such as a path. By URL a difference is then reported, but does
   * not fail.
   */
  readonly assumes?: string;
}

type Test = (contract: Contract) => Promise<void>;

export type RuleTest = (id: string, ...rest: [test: Test] | [options: RuleOptions, test: Test]) => void;

type SandboxOptions = NonNullable<Parameters<typeof SandboxControl.start>[0]>;

/** Registers a test that has a sandbox of its own. */
export function inOwnSandbox(
  rule: RuleTest,
  id: string,
  { note = '', ...options }: SandboxOptions & Pick<RuleOptions, 'note'>,
  test: (own: SandboxControl, contract: Contract) => Promise<void>,
): void {
  rule(id, { needs: ['sandbox'], note }, async (contract) => {
    const own = await SandboxControl.start(options);
    try {
      await test(own, contract);
    } finally {
      await own.stop();
    }
  });
}

/**
 * Opens the target once for the file: the service that CONTRACT_URL names, or a sandbox. Answers how a rule's test is registered.
 *
 * Against a service of which only the URL is known, a test that lacks something is skipped with the reason. A rule that the
 * interface leaves open (`decided`, `assumes`) is tried too: where the service differs, the suite says so and passes.
 */
export async function useContract(): Promise<RuleTest> {
  const target = await openTarget(process.env);
  const { contract, byUrl, missing } = target;
  const differences: string[] = [];
  const only = new RegExp(process.env['CONTRACT_ONLY'] ?? '');
  let registered = 0;
  let skipped = 0;

  afterAll(async () => {
    const problems = await target.close();
    if (!byUrl) return;
    const lines = [
      `${registered - skipped} tests ran, ${skipped} were skipped with their reason.`,
      `${differences.length} tests of what the interface leaves open found another reading:`,
      ...differences.map((line) => `  ${line}`),
      ...problems.map((problem) => `Left behind: ${problem}`),
    ];
    process.stdout.write(`\n${lines.join('\n')}\n`);
  });

  return (id, ...rest) => {
    const [{ needs = [], note = '', assumes }, test] =
      rest.length === 1 ? [{} as RuleOptions, ...rest] : rest;
    const rule = RULES.find((candidate) => candidate.id === id);
    if (rule === undefined) throw new Error(`rules.ts has no ${id}`);
    if (!only.test(id)) return;
    const open = byUrl && (rule.decided === true || assumes !== undefined);
    const title = `[${id}] ${rule.rule}${note === '' ? '' : `: ${note}`}`;
    const reasons = [...new Set(needs.flatMap((need) => missing.get(need) ?? []))];
    registered++;
    if (reasons.length > 0) {
      skipped++;
      it.skip(`${title} (skipped: ${reasons.join('; ')})`, () => undefined);
      return;
    }
    it(open ? `${title} (left open: ${assumes ?? 'the sandbox’s own choice'})` : title, async () => {
      try {
        await test(contract);
      } catch (error) {
        if (!open) throw error;
        differences.push(`${title} – ${firstLine(error)}`);
      }
    });
  };
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [line = ''] = text.split('\n').filter((part) => part.trim() !== '');
  return line;
}
