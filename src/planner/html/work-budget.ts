/** Minimum budgets, so that short texts are always laid out. */
const LEAST_LENGTH = 4096;
/** How often each character may be processed again. Real descriptions need at most five. */
const WORK_SHARE = 24;
/** How many layout characters (indents, padding) each character of HTML may add. */
const GROWTH_SHARE = 8;

/**
 * Limits the layout work of one text. Each level of quotes, lists and tables processes its lines again, and padding
 * grows with the widest line. So a short but deeply nested text could become huge. Text over the budget is not laid
 * out.
 */
export class WorkBudget {
  private work: number;
  private growth: number;

  /** `length`: the number of characters of the HTML. */
  constructor(length: number) {
    this.work = WORK_SHARE * Math.max(length, LEAST_LENGTH);
    this.growth = GROWTH_SHARE * Math.max(length, LEAST_LENGTH);
  }

  /** Takes the cost of processing `work` characters or cells again; false when the budget is too small. */
  spend(work: number): boolean {
    if (work > this.work) return false;
    this.work -= work;
    return true;
  }

  /** Takes the cost of `characters` of added layout; false when the budget is too small. */
  grow(characters: number): boolean {
    if (characters > this.growth) return false;
    this.growth -= characters;
    return true;
  }

  /** Indents every line but the first. */
  indented(text: string, by: number): string {
    if (by === 0 || !this.spend(text.length)) return text;
    const breaks = countBreaks(text);
    if (breaks === 0 || !this.grow(breaks * by)) return text;
    return text.replaceAll('\n', `\n${' '.repeat(by)}`);
  }

  quoted(text: string): string {
    if (!this.spend(text.length)) return text;
    const lines = withoutOuterBreaks(text).split('\n');
    return this.grow(lines.length * 2) ? lines.map((line) => `> ${line}`).join('\n') : text;
  }

  withoutOuterBreaks(text: string): string {
    return this.spend(text.length) ? withoutOuterBreaks(text) : text;
  }
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function withoutOuterBreaks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && text.charCodeAt(from) === 0x0a) from += 1;
  while (to > from && text.charCodeAt(to - 1) === 0x0a) to -= 1;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}
