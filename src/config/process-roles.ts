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

/** True when the roles are `receive` alone. Such a process calls neither stores nor the catalog service. */
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

/**
 * The settings without the credentials of workspaces and stores. Their references to the environment are not looked up,
 * so that a process which is open to the internet need not have them.
 */
export function withoutCredentials(settings: Settings): Settings {
  const bare = Object.entries(UNREAD_CREDENTIALS).map(([section, auth]) => {
    const entries = settings[section];
    if (!isMap(entries)) return [section, entries] as const;
    const members = Object.entries(entries).map(([key, entry]) => [
      key,
      isMap(entry) ? { ...entry, auth: entry['kind'] === 'woocommerce' ? UNREAD_KEY : auth } : entry,
    ]);
    return [section, Object.fromEntries(members) as Settings] as const;
  });
  return { ...settings, ...Object.fromEntries(bare.filter(([, entries]) => entries !== undefined)) };
}
