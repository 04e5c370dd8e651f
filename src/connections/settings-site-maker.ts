import { Injectable } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import { InstalledStores } from './installed-stores.js';
import { ConnectionMaker } from './connection-maker.js';
import { connectionSet, type ConnectionSettings } from './connection-set.js';
import {
  storeFacts,
  type Connection,
  type Connections,
  type ConnectionSet,
  type Store,
  type Workspace,
} from './connections.js';

/**
 * Makes connections that are known by their settings alone, for a process that calls neither side. It does not load the libraries for
 * such calls.
 */
@Injectable()
export class SettingsSiteMaker extends ConnectionMaker {
  constructor(protected readonly installed: InstalledStores) {
    super();
  }

  make(files: ConnectionSettings, present: Connections | null): ConnectionSet {
    const { config, installed } = this.installed.join(files);
    return connectionSet(config, installed, present, {
      workspace: workspaceWithoutClient,
      store: (key, settings, { workspace, isInstalled }) => ({
        ...storeFacts(key, settings, workspace, isInstalled),
        get connector(): never {
          throw notConnected(`store ${key}`);
        },
      }),
    });
  }

  connectionsOf(): readonly Connection[] {
    return [];
  }

  subscribe({ key }: Store, _uri: string): Promise<void> {
    return Promise.reject(notConnected(`store ${key}`));
  }
}

function workspaceWithoutClient(key: string, settings: Workspace['settings']): Workspace {
  return {
    key,
    settings,
    get client(): never {
      throw notConnected(`workspace ${key}`);
    },
  };
}

function notConnected(what: string): CodedError {
  return new CodedError('misconfigured', `this process makes no requests: it has no connection of ${what}`);
}
