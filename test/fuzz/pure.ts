import fc from 'fast-check';
import { readUntrustedJson } from '../../src/runtime/untrusted-json.js';
import { errorLine } from '../../src/domain/errors.js';
import { redactSecrets } from '../../src/observability/logging/redaction.js';
import { intendedValues } from '../../src/planner/generated-content.js';
import { allowanceOf } from '../../src/planner/html/markup-allowance.js';
import { isBlankHtml, plainTextOf } from '../../src/planner/html/plain-text.js';
import { reducedHtml } from '../../src/planner/html/document.js';
import { sanitiseHtml } from '../../src/planner/html/sanitise.js';
import { sanitisePlainText } from '../../src/planner/html-content.js';
import { parseProductCsv } from '../../src/sandbox/store/csv.js';
import { actingAddress } from '../support/acting-address.js';
import { writeBackSettings } from '../support/product-builders.js';
import { csv, delivery, html, oddJson, oddText } from './inputs.js';

const RUNS = /<(?:script|style|iframe|form|object|svg|math)\b|\son\w+=|javascript:|srcset/i;

/** What functions that read untrusted texts must hold to. An unexpected error is a fault as well. */
export const PURE: Readonly<Record<string, fc.IProperty<unknown>>> = {
  html: fc.property(html(20_000), (text) => {
    const clean = sanitiseHtml(text);
    if (sanitiseHtml(clean) !== clean) throw new Error('sanitised twice it is another text');
    if (RUNS.test(`>${clean}<`.replaceAll(/>[^<]*</g, '><'))) throw new Error('something that runs is left');
    plainTextOf(text);
    isBlankHtml(text);
    reducedHtml(text);
    if (/<[a-z!/?]/i.test(sanitisePlainText(text))) throw new Error('a tag is left');
  }),
  addresses: fc.property(actingAddress, (address) => {
    // The merchant's own description has pictures and frames of the same host.
    const merchant =
      '<img src="https://www.tessera.example/cdn/a.jpg"><iframe src="https://shop.example/embed"></iframe>';
    const escaped = address.replaceAll('"', '&quot;');
    const text = `<a href="${escaped}">a</a><img src="${escaped}"><video poster="${escaped}" src="${escaped}"></video><iframe src="${escaped}"></iframe>`;
    for (const clean of [sanitiseHtml(text), sanitiseHtml(text, allowanceOf(merchant))])
      if (/\s(?:href|src|poster)=/.test(clean)) throw new Error('a page would request it');
  }),
  // One character for each byte: the report of a failure shows a text.
  json: fc.property(
    oddJson(delivery).map((bytes) => bytes.toString('latin1')),
    (text) => {
      const read = readUntrustedJson(Buffer.from(text, 'latin1'));
      if (!read.ok || typeof read.value !== 'object' || read.value === null) return;
      const product = 'product' in read.value ? read.value.product : null;
      if (typeof product !== 'object' || product === null) return;
      const sections = 'sections' in product && Array.isArray(product.sections) ? product.sections : [];
      const records = sections.filter(
        (section) => typeof section === 'object' && section !== null && !Array.isArray(section),
      );
      intendedValues({ sections: records as Record<string, unknown>[] }, writeBackSettings);
    },
  ),
  csv: fc.property(csv, (text) => {
    try {
      parseProductCsv(text);
    } catch (error) {
      // A file that is none is refused with a sentence; anything else would be a fault of the program.
      if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
    }
  }),
  'log texts': fc.property(oddText, fc.integer({ min: 1, max: 5 }), (text, times) => {
    redactSecrets(text.repeat(times), ['a secret that is long enough']);
    errorLine(new Error(text.repeat(times)));
  }),
};
