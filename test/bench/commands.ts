import { atMost, quantile, type Take } from './figure.js';
import { Sides } from './sides.js';
import { BenchWorld } from './world.js';

const ROUNDS = 3;

/** Commands and the start of the daemon, each the median of some rounds. */
export async function benchCommands(_share: number, take: Take): Promise<void> {
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { main: { shop: 'main.myshopify.com', url: sides.storeUrl } },
  });
  try {
    for (const command of [['--help'], ['status'], ['products']]) {
      const seconds = await median(async () => {
        const { status, stderr } = await world.command(...command);
        if (status !== 0) throw new Error(`${command.join(' ')} ended with ${String(status)}: ${stderr}`);
      });
      take(atMost(`store-sync ${command.join(' ')}`, seconds, 's', 1.5));
    }
    take(
      atMost(
        'store-sync start, until ready',
        await median(
          () => world.start(),
          (daemon) => daemon.stop(),
        ),
        's',
        3,
      ),
    );
  } finally {
    await sides.stop();
    await world.close();
  }
}

/** Seconds of `work`; what it answers with is given to `after`, which is not measured. */
async function median<T>(
  work: () => Promise<T>,
  after: (made: T) => unknown = () => undefined,
): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    const made = await work();
    taken.push((performance.now() - began) / 1000);
    await after(made);
  }
  return quantile(taken, 0.5);
}
