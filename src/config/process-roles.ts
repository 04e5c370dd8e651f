import { z } from 'zod';
import { isMap, type Settings } from './config-file.js';

/** The roles of a process: to take deliveries and store events, to work (schedules and queues), to serve API and dashboard. */
export const PROCESS_ROLES = ['receive', 'work', 'admin'] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];

/** A list of roles, or a text such as "receive,work" from the environment. */
export const processRoles = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((role) => role.trim()) : value),
  z
    .array(z.enum(PROCESS_ROLES))
    .min(1)
    .default([...PROCESS_ROLES]),
);

/** True when the roles are `receive` alone. Such a process calls neither stores nor the catalog service, serves no API and notifies nobody. */
export function onlyReceives({ server }: Settings): boolean {
  const roles = isMap(server) ? server['roles'] : undefined;
  return Array.isArray(roles) ? roles.length === 1 && roles[0] === 'receive' : roles === 'receive';
}

/** Stands where a credential would be that the process has no use for. It is in no request. */
const NOT_READ = 'not-read-by-the-role-receive';
const UNREAD_CREDENTIALS = { workspaces: { apiToken: NOT_READ }, stores: { accessToken: NOT_READ } };
const UNREAD_KEY = { consumerKey: NOT_READ, consumerSecret: NOT_READ };

/** True for what `withoutCredentials` left of the credentials of a workspace or a store. */
export function isNotRead(auth: object): boolean {
  return Object.values(auth).includes(NOT_READ);
}

/** Settings with secrets that only the other roles use. */
const UNREAD_SETTINGS = {
  server: ['adminToken', 'tokens'],
  notifications: ['webhookUrl', 'events'],
} as const;

/**
 * The settings without the credentials of workspaces and stores, the tokens of the API and the receivers of notifications. Their references
 * to the environment are not looked up, so that a process which is open to the internet need not have them.
 */
export function withoutCredentials(settings: Settings): Settings {
  const bare = Object.entries(settings).map(([section, entries]) => [
    section,
    withoutUnread(section, entries),
  ]);
  return Object.fromEntries(bare) as Settings;
}

function withoutUnread(section: string, entries: unknown): unknown {
  if (!isMap(entries)) return entries;
  if (section === 'server' || section === 'notifications') {
    const unread: readonly string[] = UNREAD_SETTINGS[section];
    return Object.fromEntries(Object.entries(entries).filter(([key]) => !unread.includes(key)));
  }
  if (section !== 'workspaces' && section !== 'stores') return entries;
  const auth = UNREAD_CREDENTIALS[section];
  return Object.fromEntries(
    Object.entries(entries).map(([key, entry]) => [
      key,
      isMap(entry) ? { ...entry, auth: entry['kind'] === 'woocommerce' ? UNREAD_KEY : auth } : entry,
    ]),
  );
}
