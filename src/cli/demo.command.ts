import { CodedError } from '../domain/errors.js';
import type * as RunDemo from './demo/run-demo.js';
import { StoreSyncCommand } from './command.js';
import type { CommonOptions } from './options.js';

type DemoOptions = CommonOptions & RunDemo.DemoOptions;

export class DemoCommand extends StoreSyncCommand<DemoOptions> {
  override readonly options = [
    { flags: '--store <kind>', description: 'shopify (the default) or woocommerce' },
    {
      flags: '--products <file>',
      description: 'a Shopify product export (CSV) instead of the built-in catalogue',
    },
    { flags: '--keep', description: 'keeps the daemon running after the loop, and prints its address' },
  ];

  protected async execute(options: DemoOptions): Promise<number> {
    const { runDemo } = await loadDemo();
    return runDemo(options);
  }
}

/**
 * Loads the sandboxes and what they need, for this command only. The production image holds none of it: the demo throws
 * `misconfigured` there.
 */
async function loadDemo(): Promise<typeof RunDemo> {
  try {
    return await import('./demo/run-demo.js');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new CodedError(
      'misconfigured',
      'this installation has no demo: run it in a checkout, or in the image with --target full',
      { cause: error },
    );
  }
}
