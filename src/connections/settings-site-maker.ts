import { Injectable } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import { InstalledStores } from './installed-stores.js';
import { SiteMaker } from './connection-maker.js';
import { siteSet, type SiteFiles } from './connection-set.js';
import {
  storeFacts,
  type Connection,
  type Sites,
  type SiteSet,
  type Store,
  type Workspace,
} from './connections.js';

/**
 * Makes sites that are known by their settings alone, for a process that calls neither side. It does not load the libraries for
 * such calls.
 */
@Injectable()
export class SettingsSiteMaker extends SiteMaker {
  constructor(protected readonly installed: InstalledStores) {
    super();
  }

  make(files: SiteFiles, present: Sites | null): SiteSet {
    const { config, installed } = this.installed.join(files);
    return siteSet(config, installed, present, {
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
