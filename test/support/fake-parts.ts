import type { TargetReadParts } from '../../src/store/shopify/target-reader.js';
import type { TargetWriteParts } from '../../src/store/shopify/target-writer.js';
import type { WholeReadParts } from '../../src/store/shopify/whole-read.js';
import type { FakeStore } from './fake-store.js';

/** The methods of a store in memory as the parts of a connector, whose rules serve there, too. */
export function partsOf(store: FakeStore): WholeReadParts & TargetReadParts & TargetWriteParts {
  return {
    sleep: store.sleep,
    exports: {
      start: (query) => store.startExport(query),
      fits: () => Promise.resolve(true),
      cancel: (handle) => store.cancelExport(handle),
      poll: (handle) => store.pollExport(handle),
      read: (completed) => store.readExport(completed),
    },
    pages: {
      products: (selection) => store.readPages(selection),
      count: (query) => store.countProducts(query),
      requireHeeded: () => Promise.resolve(),
    },
    live: { read: (...read) => store.readLive(...read) },
    writer: {
      fields: (...write) => store.writeFields(...write),
      metafields: (...write) => store.writeMetafields(...write),
      removeMetafields: (...write) => store.removeMetafields(...write),
    },
    tagsAndAlts: {
      addTags: (...write) => store.addTags(...write),
      removeTags: (...write) => store.removeTags(...write),
      imageAlts: (...write) => store.writeImageAlts(...write),
    },
    translations: {
      live: (...read) => store.readTranslations(...read),
      write: (...write) => store.writeTranslations(...write),
      remove: (...write) => store.removeTranslations(...write),
    },
    definitions: {
      read: (...read) => store.readDefinitions(...read),
      create: (...write) => store.createDefinition(...write),
    },
    taxonomy: { find: (text) => store.findCategories(text) },
  };
}
