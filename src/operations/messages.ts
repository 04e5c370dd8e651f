/** Every sentence of `store-sync check`: what was found, and what to do. */
export const checkMessages = {
  noPublicUrl: 'server.publicUrl is not set: no webhook is registered, and results arrive by polling',
  unreachable: (url: string, workspace: string, baseUrl: string): string =>
    `${url} cannot be reached by workspace ${workspace} (${baseUrl}): set server.publicUrl; until then, results arrive by polling`,
  notHttps: (url: string): string => `${url} is not https: the catalog calls https addresses only`,
  answers: (url: string): string => `${url} answers`,
  answersOtherwise: (url: string, status: number): string =>
    `${url} answers ${String(status)}: another program or a proxy answers; until that is fixed, results arrive by polling`,
  silent: (url: string, reason: string): string =>
    `${url} does not answer (${reason}): the daemon may be stopped, or the address does not lead to it`,
  notWithin: (seconds: number): string => `not within ${String(seconds)} seconds`,
  noAnswerWithin: (seconds: number): string => `no answer within ${String(seconds)} seconds`,
  dashboard: 'dashboard and API',
  dashboardOff: 'off: set server.adminToken (ADMIN_TOKEN) to turn them on',
  dashboardOn: 'on, behind a token',
  noNotifications: 'notifications.webhookUrl is not set: no notifications are sent',
  notificationsTo: (host: string): string => `sent to ${host}`,
  catalogLogin: (workspace: string): string => `workspace ${workspace}: catalog login`,
  webhookSlot: (workspace: string): string => `workspace ${workspace}: webhook slot`,
  badToken: (auth: string): string => `the token is missing, wrong or revoked: check ${auth}`,
  noPermission:
    'the token is valid, but lacks the permission or subscription: ask the operator of the service to extend it',
  addLogin: (auth: string): string => `, or add a login (email and password) to ${auth}`,
  slotOutdated: (finding: string): string =>
    `${finding}: run store-sync webhook register, or start the daemon, which writes it`,
  slotFree: (finding: string): string =>
    `${finding}: with server.publicUrl, the daemon registers it; until then, results arrive by polling`,
  slotOfOthers: (finding: string): string => `${finding}: results arrive by polling`,
  installation: (store: string): string => `store ${store}: installation`,
  installedOn: (shop: string, day: string): string => `${shop} was installed by its merchant on ${day}`,
  uninstalled: (shop: string, day: string): string =>
    `the merchant of ${shop} uninstalled the app on ${day}: it waits until it is installed again`,
  leftOut: (shop: string): string =>
    `${shop} is left out: a file has the shop or its key, or storeTemplate is not set`,
  pause: (store: string): string => `store ${store}: pause`,
  pausedSince: (since: string, reason: string, store: string): string =>
    `paused since ${since}: ${reason}; once that is fixed, run store-sync retry --store ${store}`,
} as const;

/** Texts of the reports that a person asks for on the dashboard. */
export const reportMessages = {
  justEnded: 'the report ended just now; ask again',
  failed: 'a report failed',
} as const;
