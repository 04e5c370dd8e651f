import sanitizeHtml from 'sanitize-html';

/**
 * HTML as the store gives it back: parsed and serialised, so that spelling goes and meaning stays. Lower-case names, quoted
 * attributes, closed elements, `<br>` for `<br/>`, characters for entities except the four that HTML needs, outer white
 * space gone. Scripts and event handlers stay, as they were recorded to: whoever writes has to sanitise. Normal text is its
 * own normal form.
 */
export function normaliseHtml(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: false,
    allowedAttributes: false,
    allowVulnerableTags: true,
    allowedSchemesAppliedToAttributes: [],
    parseStyleAttributes: false,
  })
    .replaceAll(/<([a-z][^<>]*?) ?\/>/g, '<$1>')
    .replaceAll('\u00a0', '&nbsp;')
    .trim();
}

/** A handle from any text: letters and digits of any script, the rest is hyphens; empty when nothing is left. */
export function slug(text: string): string {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== '').join('-');
}
