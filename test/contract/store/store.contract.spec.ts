import { afterAll, afterEach, describe, it } from '@jest/globals';
import { accessRules, eventRules } from './events.js';
import { readRules } from './reads.js';
import { StoreContract } from './subject.js';
import type { StoreRule, StoreSubject } from './subject.js';
import { openedSubjects } from './subjects.js';
import { textRules } from './texts.js';
import { writeRules } from './writes.js';

// Which stores are held to the rules is known before the file is loaded: the sandboxes, or the one shop that is named.
for (const { name, isByUrl, open } of openedSubjects(process.env))
  describe(name, () => {
    let opened: { readonly subject: StoreSubject; readonly contract: StoreContract } | null = null;
    const close = async (): Promise<void> => {
      const closing = opened;
      opened = null;
      if (closing === null) return;
      const left = isByUrl ? await closing.contract.cleanUp() : [];
      await closing.subject.close();
      if (left.length > 0) throw new Error(`products that could not be removed: ${left.join(', ')}`);
    };
    // A sandbox is new for each rule. A shop is opened once, and its products are removed at the end.
    if (!isByUrl) afterEach(close);
    afterAll(close);

    const rule: StoreRule = (title, test, needs = []) => {
      const missing = isByUrl
        ? needs.filter((need) => need === 'emulator' || !process.env['STORE_RECEIVER_URL'])
        : [];
      if (missing.length > 0) {
        it.skip(`${title} (skipped: only with ${missing.join(', ')})`, () => undefined);
        return;
      }
      it(title, async () => {
        if (opened === null) {
          const subject = await open();
          opened = { subject, contract: new StoreContract(subject, isByUrl ? 120_000 : 5000) };
        }
        await test(opened.contract);
      });
    };
    accessRules(rule);
    readRules(rule);
    writeRules(rule);
    textRules(rule);
    eventRules(rule);
  });
