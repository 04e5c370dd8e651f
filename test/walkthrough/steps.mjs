/** The code blocks of a Markdown text, each with its heading and the place of its first line. */
export function readBlocks(text, path) {
  const blocks = [];
  let heading = '';
  let open = null;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence && open === null) {
      open = { language: fence[1], heading, at: `${path}:${index + 2}`, line: index + 2, path, lines: [] };
    } else if (fence && open !== null) {
      blocks.push({ ...open, text: open.lines.join('\n') });
      open = null;
    } else if (open !== null) {
      open.lines.push(line);
    } else {
      heading = /^#+\s+(.*)$/.exec(line)?.[1] ?? heading;
    }
  }
  return { blocks };
}

/** The blocks of a language under one heading. Throws when there are none, because the document was changed then. */
export function blocksUnder({ blocks, path }, heading, language) {
  const found = blocks.filter((block) => block.heading === heading && block.language === language);
  if (found.length === 0) throw new Error(`${path}: no ${language} block under "${heading}"`);
  return found;
}
blocksUnder.read = readBlocks;

/**
 * The commands of blocks. A line that ends in a backslash goes on. A comment says what a person waits for: `# wait for "…"` after a command in the
 * background, `# repeat until it shows "…"` after one that is repeated.
 */
export function stepsOf(blocks) {
  return blocks.flatMap(({ lines, line, path }) => {
    const steps = [];
    let pending = '';
    for (const [index, text] of lines.entries()) {
      pending += text.replace(/\\$/, ' ');
      if (text.endsWith('\\')) continue;
      const [, command = '', comment = ''] = /^(.*?)(?:\s+#\s*(.*))?$/.exec(pending.trim()) ?? [];
      pending = '';
      if (command === '' || command.startsWith('#')) continue;
      steps.push({
        at: `${path}:${line + index}`,
        command: command.replace(/\s*&$/, ''),
        isBackground: command.endsWith('&'),
        waitFor: /wait for "([^"]+)"/.exec(comment)?.[1] ?? null,
        repeatUntil: /repeat until it shows "([^"]+)"/.exec(comment)?.[1] ?? null,
      });
    }
    return steps;
  });
}
