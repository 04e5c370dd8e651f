/** HTML that makes a careless program slow, huge or overflow its stack: each by name, as a text of about so many characters. */
export const HTML_WORST_CASES: Readonly<Record<string, (length: number) => string>> = {
  'cells without end': (length) => `<table><tr>${filled('<td>', length)}`,
  'rows without end': (length) => `<table>${filled('<tr><td>a', length)}`,
  'a cell over a hundred thousand columns': (length) =>
    `<table><tr><td colspan="100000">a</td></tr>${filled('<tr><td>b</td></tr>', length)}</table>`,
  'a cell over thirty million rows': (length) =>
    `<table><tr><td rowspan="30000000">a</td></tr>${filled('<tr><td>b</td></tr>', length)}</table>`,
  'many wide cells': (length) =>
    `<table>${filled('<tr><td colspan="1000" rowspan="60000">a</td></tr>', length)}</table>`,
  'one wide cell above many rows': (length) =>
    `<table><tr><td>${'w'.repeat(length / 2)}</td><td>b</td></tr>${filled('<tr><td>a</td><td>b</td></tr>', length / 2)}</table>`,
  'one wide row below many rows': (length) =>
    `<table>${filled('<tr><td>a', length / 2)}<tr>${filled('<td>a', length / 2)}</table>`,
  'tables in tables': (length) => filled('<table><tr><td>a', length),
  'emphasis in emphasis': (length) => filled('<b>', length),
  'blocks in blocks': (length) => filled('<div>a', length),
  'quotes in quotes around many lines': (length) =>
    `${filled('<blockquote>', Math.min(length / 2, 2400))}${filled('a<br>', length / 2)}`,
  'lists in lists around many lines': (length) =>
    `${filled('<ul><li>', Math.min(length / 2, 2400))}${filled('a<br>', length / 2)}`,
  'lists in lists': (length) => filled('<ol><li>a', length),
  'end tags of nothing in deep elements': (length) => filled('<b>', length / 2) + filled('</i>', length / 2),
  'paragraph ends': (length) => filled('</p>', length),
  'starts of nothing': (length) => filled('<', length),
  'starts of end tags': (length) => filled('</', length),
  'starts of comments': (length) => filled('<!--', length),
  'starts of declarations': (length) => filled('<!', length),
  'attributes without end': (length) => `<a ${filled('b=c ', length)}`,
  'quotes without end': (length) => filled('<a b="', length),
  'equals signs': (length) => `<a ${filled('=', length)}`,
  'slashes in a tag': (length) => `<a ${filled('/', length)}`,
  ampersands: (length) => filled('&', length),
  'references without semicolons': (length) => filled('&amp', length),
  'numbers of no character': (length) => `&#${filled('9', length)};`,
  'white space': (length) => filled(' ', length),
  'white space between words': (length) => filled('a          ', length),
  'foreign elements': (length) => filled('<svg><title>', length),
  'texts without end': (length) => filled('<textarea>', length),
  'a long word in pieces within a cell': (length) => `<table><tr><td>${filled('a<i></i>', length)}`,
  'sources for every size': (length) => `<img srcset="${filled('a 1x,', length)}" src="https://a.example/">`,
  'style without end': (length) => `<p style="${filled('a:b;', length)}">`,
  'frames in frames': (length) => filled('<iframe>', length),
  'empty images': (length) => filled('<img>', length),
};

function filled(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length));
}
