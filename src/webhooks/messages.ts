/** Every sentence about deliveries and store events: answers to their senders, notes of the inbox, and the log. */
export const messages = {
  // Answers to the sender
  noWorkspace: 'no such workspace',
  noStore: 'no such store',
  signatureRefused: 'signature missing or wrong',
  deliveryTooLarge: 'a delivery may have 10 MB at most',
  eventTooLarge: 'an event may have 10 MB at most',
  busy: 'too many bytes are being received: repeat the request later',
  notStored: 'the database does not store it now: repeat the request later',

  // The log
  noSecret: 'webhook.hmacSecret is not set',
  largeRefused: 'a delivery over 10 MB was refused; its result arrives by polling',
  putOff: 'a delivery was put off: too many bytes are in flight',
  refused: 'a delivery was refused',
  eventRefused: 'a store event was refused',
  noStoreSecret: 'webhookSecret is not set',
  signatureMalformed: 'the signature is missing or malformed',
  signatureWrong: 'the signature is wrong',
  largeEventRefused: 'a store event over 10 MB was refused',
  eventPutOff: 'a store event was put off: too many bytes are in flight',
  deliveryNotStored: 'a delivery could not be stored; the sender is asked to repeat it',
  eventNotStored: 'a store event could not be stored; the store is asked to repeat it',
  noTextInLanguage: 'the catalog has no text in this language',

  noComplianceEvent: 'a signed request of the store is none that this program knows',

  // Notes of deliveries that were not interpreted
  unreadable: 'the body is not readable as JSON in UTF-8',
  noDelivery: (reason: string): string => `the body is not a delivery: ${reason}`,
  workspaceGone: (workspace: string): string => `workspace ${workspace} is no longer configured`,
  storeGone: (store: string): string => `store ${store} is no longer configured`,
  unknownProduct: 'no linked product matches it',
  unknownAction: (action: string): string => `unknown action "${action}"`,
  notLinkedYet: 'the product is not linked yet',
  noProductText: 'the catalog has no text of this product in the language',
  crashed: (workers: number): string =>
    `${String(workers)} workers in a row died while they interpreted it: report it`,

  // Notes of deliveries that were interpreted
  ended: (reason: string): string => `no content: ${reason}`,
  endedLate: (reason: string): string => `no content, but the task was settled before: ${reason}`,
  failed: 'generation failed',
  noUrls: 'no source URLs could be found for the product',
  writeBackOff: 'generated; writeBack.mode is off',
  nothingToWrite: 'generated, but it holds nothing that may be written',
  nothingMapped: (names: string): string => `generated, but no setting maps what came: ${names}`,
  older: 'generated, but a newer result was received before',
  known: 'generated; the same result was received before',
  intended: 'generated; to be written back',
  overtaken: 'other results of the product came in at the same time',
  waitsForReview: 'generated; waits for review',
  ofVariant: (action: string, variant: string): string =>
    `${action} for variant ${variant}: not written to its product`,
} as const;
