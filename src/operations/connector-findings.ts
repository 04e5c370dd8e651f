import { CodedError } from '../domain/errors.js';
import type { StoreConnector, StoreFinding } from '../domain/store-port.js';

const LEVELS = ['ok', 'warn', 'fail'];

/** What a store says about its access, its permissions and the settings, worst last. Throws only what it cannot explain. */
export async function connectorFindings(
  connector: Pick<StoreConnector, 'probe'>,
): Promise<readonly StoreFinding[]> {
  const what = 'store access';
  try {
    const probe = await connector.probe();
    const access = { level: 'ok', what, detail: 'the store accepts the credentials' } as const;
    const found = await probe.findings();
    return [
      access,
      ...found.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level)),
    ];
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return [{ level: 'fail', what, detail: `${error.message}${advice(error)}` }];
  }
}

/** Errors of credentials and settings say themselves what to check. */
function advice({ code }: CodedError): string {
  return code === 'auth' || code === 'unavailable' || code === 'misconfigured'
    ? ''
    : '. Try again; if it stays so, check that the store can be reached from here.';
}
