import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

describe('the systemd unit', () => {
  const unit = readFileSync('deploy/systemd/store-sync.service', 'utf8');

  it('gives every secret of the example configuration as a file', () => {
    const example = readFileSync('config/example.yaml', 'utf8');
    const needed = [...example.matchAll(/\$\{([A-Z_]+)\}/g)].map((match) => match[1] ?? '');
    expect(needed.length).toBeGreaterThan(3);
    for (const name of needed)
      expect(unit).toContain(`Environment=${name}_FILE=%d/secrets_${name.toLowerCase()}\n`);
  });

  it('waits longer for a stop than the program takes, and reloads without a restart', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(27);
    expect(unit).toContain('ExecReload=/bin/kill -HUP $MAINPID\n');
    // A reload that comes before the program listens ends it, which systemd takes for a clean stop.
    expect(unit).toContain('Restart=always\n');
  });
});
