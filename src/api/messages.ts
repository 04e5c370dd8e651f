/** Every sentence that the API answers or logs. Descriptions for the OpenAPI document stand at their routes and fields. */
export const messages = {
  // Access
  apiOff: 'the API is off: server.adminToken and server.tokens are not set',
  tooManyTokens: 'too many wrong tokens',
  tokenNeeded: 'a bearer token is needed',
  wrongToken: 'a request with a wrong bearer token was refused',
  roleNeeded: (role: string, name: string, own: string): string =>
    `this needs the role ${role}; ${name} has ${own}`,

  // Requests
  nulInAddress: 'the address has a NUL character: remove %00',
  nulInBody: 'the body has a NUL character: remove it',
  bodyTooLarge: 'the body is too large',
  bodyUnreadable: 'the body cannot be read',
  requestInvalid: 'the request is invalid: see details',
  severalProducts: (name: string): string =>
    `${name} matches several products: use an external_id of details`,
  noStore: (key: string): string => `no store "${key}" is configured`,
  starting: 'store-sync is starting',
  noRow: 'no such row',
  unknown: (kind: string, name: string): string => `no ${kind} ${name.slice(0, 100)}`,

  // The install flow
  installed: 'store-sync is installed',
  installedText: (key: string): string =>
    `Your store is connected under the name ${key}. You can close this page.`,
  notInstalled: 'store-sync is not installed',
  installRefused: 'an installation was refused',

  // Faults
  unforeseen: 'a request ended on an unforeseen error',
  internalError: 'an internal error: see the log of the daemon',
  noAnswer: 'no answer in time',
  metricsUnreadable: 'metrics could not be read',

  // The OpenAPI document
  apiDescription:
    'The same operations as the commands, over HTTP. Every request carries `Authorization: Bearer` with server.adminToken.',
  notDescribed: (controller: string, method: string): string =>
    `route ${controller}.${method} has no @Describe`,
  queryNoObject: 'the schema of a query is not an object',
  bodyUnnamed: (route: string): string => `the body of ${route} has no name for the OpenAPI document`,
  nameTwice: (name: string): string => `two schemas have the name ${name} in the OpenAPI document`,
} as const;
