import { CodedError } from '../domain/errors.js';

/** A connection without credentials: each call but `close` throws `misconfigured`, and nothing is sent. */
export function silent<Connection extends { close(): unknown }>(connection: Connection): Connection {
  return new Proxy(connection, {
    get: (target, name): unknown => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'close') return () => target.close();
      return () => {
        throw new CodedError(
          'misconfigured',
          'a process with the role receive alone has no credentials and makes no requests',
        );
      };
    },
  });
}
