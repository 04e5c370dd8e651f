import { describe, expect, it } from '@jest/globals';
import { HTML_WORST_CASES } from '../../test/support/html-worst-cases.js';
import { previewDocument } from './preview.js';

/** The part of the page after its own head. */
function shown(description: string): string {
  return /<body>(.*)<\/body><\/html>$/s.exec(previewDocument(description).body)?.[1] ?? '?';
}
const media = (text: string): string => `<span class="media">${text}</span>`;

describe('a rendered description', () => {
  it.each([
    ['an image', '<img src="https://cdn.test/a.jpg">', media('Image: https://cdn.test/a.jpg')],
    [
      'an image with a text',
      '<img alt="A mug" src=//cdn.test/a.jpg>',
      media('Image “A mug”: //cdn.test/a.jpg'),
    ],
    ['an image without an address', '<img srcset="https://cdn.test/a.jpg 2x">', media('Image: no address')],
    [
      'an embedded page',
      '<iframe src="https://video.test/1"></iframe>',
      media('Embedded page: https://video.test/1'),
    ],
    [
      'a video with its sources',
      '<video poster="https://cdn.test/p"><source src="https://cdn.test/v.mp4">no video</video>',
      `${media('Media: https://cdn.test/v.mp4')}no video`,
    ],
    ['an object', '<object data="https://cdn.test/o"></object>', media('Media: https://cdn.test/o')],
    [
      'an address that tries to be markup',
      "<img src='\"><script>x</script>'>",
      media('Image: "&gt;&lt;script&gt;x&lt;/script&gt;'),
    ],
  ])('names %s, and loads nothing', (_what, description, markup) => {
    expect(shown(`<p>${description}</p>`)).toBe(`<p>${markup}</p>`);
  });

  it.each([
    '<link rel="dns-prefetch" href="//tracker.test">',
    '<link rel="preconnect" href="https://tracker.test">',
    '<meta http-equiv="refresh" content="0;url=https://tracker.test">',
    '<base href="https://tracker.test/">',
    '<style>@import "https://tracker.test/a.css"</style>',
    '<svg><image href="https://tracker.test/a.png"></image></svg>',
    '<script src="https://tracker.test/a.js"></script>',
  ])('leaves out %s', (description) => {
    expect(shown(`<p>before ${description}after</p>`)).toBe('<p>before after</p>');
  });

  it('has neither styles nor backgrounds of its own', () => {
    const description =
      '<table background="https://tracker.test/a"><tr><td style="background:url(https://tracker.test/b)">x</td></tr></table>';
    expect(shown(description)).toBe('<table><tr><td>x</td></tr></table>');
  });

  it('keeps lists, tables and links', () => {
    const description =
      '<ul><li>a</li></ul><table><tbody><tr><td colspan="2">b</td></tr></tbody></table><a href="https://x.test/">c</a>';
    expect(shown(description)).toBe(
      description.replace('<a href="https://x.test/">', '<a href="https://x.test/" rel="nofollow noopener">'),
    );
  });

  // The planner's html-content.spec has the other worst cases of what a preview is made by.
  it.each([
    'empty images',
    'frames in frames',
    'sources for every size',
    'blocks in blocks',
    'one wide row below many rows',
  ])('of a worst case is ready in time: %s', (name) => {
    expect(HTML_WORST_CASES).toHaveProperty(name);
    const began = process.cpuUsage();
    previewDocument(HTML_WORST_CASES[name]?.(100_000) ?? '');
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });

  it('may load nothing, run nothing and send nothing', () => {
    const policy = previewDocument('').headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/^sandbox; default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'; /);
    expect(policy).not.toMatch(/https:|img-src|allow-|script-src|unsafe/);
  });
});
