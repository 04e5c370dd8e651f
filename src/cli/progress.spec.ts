import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ProgressReport } from './progress.js';

/** A report in a pipe, with a clock that the test moves. */
function piped() {
  const lines: string[] = [];
  const at = { ms: 0 };
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString().trimEnd());
      done();
    },
  });
  const report = new ProgressReport(stream, () => at.ms);
  return { report, lines, at };
}

describe('progress in a pipe', () => {
  it('is a line when a phase begins, and then no more than one in two seconds', () => {
    const { report, lines, at } = piped();
    for (const [ms, done] of [
      [0, 0],
      [100, 1],
      [1_900, 2],
      [2_100, 3],
    ] as const) {
      at.ms = ms;
      report.show({ phase: 'apply', done, total: 10 });
    }
    report.show({ phase: 'generation', done: 0, total: 5 });
    expect(lines).toEqual([
      'sending changes to the catalog 0/10',
      'sending changes to the catalog 3/10',
      'requesting content 0/5',
    ]);
  });

  it('is a line less often the longer a phase lasts', () => {
    const { report, lines, at } = piped();
    for (; at.ms < 600_000; at.ms += 500) report.show({ phase: 'plan', done: at.ms, total: null });
    expect(lines.length).toBeLessThan(90);
  });

  it('says after ten seconds how long the rest takes at the speed of the phase so far', () => {
    const { report, lines, at } = piped();
    report.show({ phase: 'content', done: 100, total: 700 });
    at.ms = 5_000;
    report.show({ phase: 'content', done: 150, total: 700 });
    at.ms = 20_000;
    report.show({ phase: 'content', done: 200, total: 700 });
    at.ms = 60_000;
    report.show({ phase: 'content', done: 500, total: 700 });
    at.ms = 70_000;
    report.show({ phase: 'content', done: 700, total: 700 });
    expect(lines.map((line) => line.replace('writing generated content to the store ', ''))).toEqual([
      '100/700',
      '150/700',
      '200/700, about 2 min left',
      '500/700, less than a minute left',
      '700/700',
    ]);
  });

  it('says nothing about the rest while nothing has moved, or the total is unknown', () => {
    const { report, lines, at } = piped();
    report.show({ phase: 'content', done: 0, total: 700 });
    at.ms = 60_000;
    report.show({ phase: 'content', done: 0, total: 700 });
    report.show({ phase: 'plan', done: 10, total: null });
    expect(lines.join('\n')).not.toContain('left');
  });
});

it('progress on a terminal is one line that is written over, at most ten times a second, and ends with its phase', () => {
  let shown = '';
  let ms = 0;
  const terminal = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      shown += chunk.toString();
      done();
    },
  });
  const report = new ProgressReport(Object.assign(terminal, { isTTY: true }), () => ms);
  for (; ms <= 200; ms += 20) report.show({ phase: 'apply', done: ms / 20, total: 10 });
  report.show({ phase: 'plan', done: 3, total: null });
  report.end();
  const [apply = '', plan = ''] = shown.split('\n');
  expect(apply.split('\r\u001B[2K').slice(1)).toEqual([
    expect.stringMatching(/^sending changes to the catalog ░{40} 0\/10$/),
    expect.stringMatching(/^sending changes to the catalog █{20}░{20} 5\/10$/),
    expect.stringMatching(/^sending changes to the catalog █{40} 10\/10$/),
  ]);
  expect(plan).toBe('\r\u001B[2Kreading and planning 3');
});
