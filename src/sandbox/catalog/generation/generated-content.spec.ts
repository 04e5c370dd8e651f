import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sanitizeHtml from 'sanitize-html';
import { DISCLOSURE, generateContent, type GenerationSource } from './generated-content.js';
import { requestedOutcome, sourceUrls, GENERATED } from './outcome.js';

const NOTHING: GenerationSource = {
  name: null,
  description: null,
  htmlDescription: null,
  brand: null,
  category: null,
  attributes: {},
  imageCount: 0,
};

describe('generated content', () => {
  it.each([
    ['puts the brand in front', { name: 'kettle', brand: 'Acme' }, 'Acme kettle'],
    ['does not repeat a brand that is there', { name: 'ACME kettle', brand: 'Acme' }, 'ACME kettle'],
    ['adds the key option', { name: 'Kettle', attributes: { material: 'Steel' } }, 'Kettle – Steel'],
    ['repeats no option', { name: 'Steel kettle', attributes: { material: 'Steel' } }, 'Steel kettle'],
    ['cleans spaces, markers and trailing punctuation', { name: '  Big   kettle [fail] -' }, 'Big kettle'],
    ['does not shout', { name: 'BIG BLUE KETTLE' }, 'Big Blue Kettle'],
    ['leaves an abbreviation alone', { name: 'USB 2' }, 'USB 2'],
    ['falls back to the category', { category: 'Home > Kettles' }, 'Kettles'],
    ['falls back to a word', {}, 'Product'],
  ])('%s', (_rule, source, name) => {
    expect(generateContent({ ...NOTHING, ...source }).name).toBe(name);
  });

  it('takes the first sentences of the written description, as text', () => {
    const { description } = generateContent({
      ...NOTHING,
      name: 'Kettle',
      htmlDescription: '<p>Boils <b>fast</b>.</p><p>Whistles.</p><p>Third.</p>',
    });
    expect(description).toBe(`Kettle. Boils fast. Whistles. ${DISCLOSURE}`);
  });

  it('gives one section for each attribute, with its value as it is', () => {
    const { sections } = generateContent({
      ...NOTHING,
      attributes: {
        'Open box': true,
        litres: 1.7,
        tags: ['a', 'b'],
        nested: { a: 1 },
      },
    });
    expect(sections.slice(0, 3)).toEqual([
      { code: 'open_box', name: 'Open box', value: true },
      { code: 'litres', name: 'Litres', value: 1.7 },
      { code: 'tags', name: 'Tags', value: ['a', 'b'] },
    ]);
    expect(sections.map(({ code }) => code)).not.toContain('nested');
  });

  it('is the same each time, says what made it, and is well-formed HTML of a few tags, whatever the source', () => {
    const text = fc.option(fc.string({ unit: 'binary' }));
    const source = fc.record({
      name: text,
      description: text,
      htmlDescription: text,
      brand: text,
      category: text,
      attributes: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean())),
      imageCount: fc.nat(),
    });
    const allowed = { allowedTags: ['p', 'ul', 'li', 'strong', 'em'], allowedAttributes: {} };
    fc.assert(
      fc.property(source, (given) => {
        const content = generateContent(given);
        expect(generateContent(given)).toEqual(content);
        expect(content.htmlDescription).toContain('not by AI');
        // Apart from the spelling of entities, any change by the sanitiser would mean an unintended tag.
        const entities = (html: string): string => html.replaceAll('&quot;', '"').replaceAll('\0', '');
        expect(entities(sanitizeHtml(content.htmlDescription, allowed))).toBe(
          entities(content.htmlDescription),
        );
      }),
      { numRuns: 200, seed: 20_261_120 },
    );
  });
});

describe('the outcome of a generation', () => {
  const product = { open_attributes: {}, metadata: {} };

  it.each([
    ['success without a marker', {}, 'product_generated'],
    ['no URLs', { open_attributes: { tags: ['sandbox-no-urls'] } }, 'product_generation_no_urls'],
    ['success for other tags', { metadata: { tags: [1] } }, 'product_generated'],
  ])('%s', (_rule, changes, action) => {
    expect(requestedOutcome({ ...product, ...changes }).action).toBe(action);
  });

  it("names the product's own addresses as provided ones, and scores between 0 and 1", () => {
    const urls = sourceUrls(
      {
        id: 1,
        url: 'https://example.com/a',
        crawl_configuration: { source_url: 'https://example.com/b' },
        name: null,
        brand: null,
      },
      GENERATED,
      7,
    );
    expect(urls.filter((url) => url.is_user_provided_link).map(({ url }) => url)).toEqual([
      'https://example.com/a',
      'https://example.com/b',
    ]);
    expect(urls.every(({ relevant_score: score }) => score > 0 && score <= 1)).toBe(true);
    expect(new Set(urls.map(({ id }) => id)).size).toBe(urls.length);
  });
});
