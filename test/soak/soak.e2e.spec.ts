import { describe, expect, it } from '@jest/globals';
import { runSoak } from './soak.js';

describe('500 deliveries into a daemon that is killed 10 times and whose database crashes', () => {
  it('are neither lost, nor doubled, nor refused', async () => {
    const lines: string[] = [];
    const report = await runSoak({
      deliveries: 500,
      kills: 10,
      databaseRestarts: 1,
      seed: 20_261,
      fast: true,
      log: (line) => lines.push(line),
    });
    const { lost, doubled, refused, broken } = report;
    expect({ lost, doubled, refused, broken, lines }).toEqual({
      lost: [],
      doubled: [],
      refused: [],
      broken: [],
      lines,
    });
    expect(report.counts['deliveries']).toBe(500);
  });
});
