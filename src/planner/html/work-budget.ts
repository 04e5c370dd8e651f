/** Least budgets, so that short texts are laid out whatever they hold. */
const LEAST_LENGTH = 4096;
/** How often each character of a text may be looked at again: real descriptions need it five times at most. */
const WORK_SHARE = 24;
/** How many characters of layout (indents, padding) each character of the HTML may bring. */
const GROWTH_SHARE = 8;

/**
 * Bounds what layout costs in a whole text. Each level of quotes, lists and tables handles its lines anew, and padding grows
 * with the widest line: nested or uneven enough, a short text would become a huge one. What is over the budget stays as it is.
 */
export class WorkBudget {
  private work: number;
  private growth: number;

  /** `length`: characters of the HTML. */
  constructor(length: number) {
    this.work = WORK_SHARE * Math.max(length, LEAST_LENGTH);
    this.growth = GROWTH_SHARE * Math.max(length, LEAST_LENGTH);
  }

  /** Takes the cost of handling `work` characters or cells again; false: there is not enough left. */
  spend(work: number): boolean {
    if (work > this.work) return false;
    this.work -= work;
    return true;
  }

  /** Takes `characters` of layout that are added to a text; false: there is not enough left. */
  grow(characters: number): boolean {
    if (characters > this.growth) return false;
    this.growth -= characters;
    return true;
  }

  /** Every line but the first is moved to the right. */
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
