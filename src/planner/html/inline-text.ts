/** White space that HTML folds, and the zero-width space. A no-break space does not count. */
const WORDS = /[^ \t\r\n\f\u200b]+/g;
const HAS_WORD = /[^ \t\r\n\f\u200b]/;
const NEEDS_FOLDING = /[\t\r\n\f\u200b]| {2}/;
const SPACES = /[ \t\r\n\f\u200b]+/g;

export function hasWords(text: string): boolean {
  return HAS_WORD.test(text);
}

/** Lines of inline text. Lines longer than `width` break between words. */
export class InlineText {
  /** Complete lines, each with its line feed. */
  private done = '';
  private line = '';
  /** Start of the last word in the current line. */
  private lastWord = 0;
  /** White space was last, so the next word is a new one. */
  private spaceIsDue = false;
  private mayBreakWord = false;

  constructor(readonly width: number) {}

  get isEmpty(): boolean {
    return this.done === '' && this.line === '';
  }

  toString(): string {
    return this.done + this.line;
  }

  clear(): void {
    this.done = '';
    this.line = '';
    this.lastWord = 0;
  }

  startLine(count = 1): void {
    this.done += this.line + '\n'.repeat(count);
    this.line = '';
    this.lastWord = 0;
  }

  allowBreak(): void {
    this.mayBreakWord = true;
  }

  add(text: string): void {
    if (!hasWords(text)) {
      this.spaceIsDue ||= text !== '';
      return;
    }
    const startsWord = this.spaceIsDue || isFolded(text.charCodeAt(0));
    if (this.width === Infinity) this.addUnbroken(text, startsWord);
    else this.addBroken(text, startsWord);
    this.spaceIsDue = isFolded(text.charCodeAt(text.length - 1));
  }

  private addUnbroken(text: string, startsWord: boolean): void {
    const folded = NEEDS_FOLDING.test(text) ? text.replaceAll(SPACES, ' ') : text;
    const from = isFolded(folded.charCodeAt(0)) ? 1 : 0;
    const to = isFolded(folded.charCodeAt(folded.length - 1)) ? folded.length - 1 : folded.length;
    const words = folded.slice(from, to);
    this.line += startsWord && this.line !== '' ? ` ${words}` : words;
  }

  private addBroken(text: string, startsWord: boolean): void {
    let joins = !startsWord;
    for (const [word] of text.matchAll(WORDS)) {
      if (joins) this.joinWord(word);
      else this.addWord(word);
      joins = false;
    }
  }

  private addWord(word: string): void {
    if (this.line === '') {
      this.line = word;
    } else if (this.line.length + 1 + word.length <= this.width) {
      this.lastWord = this.line.length + 1;
      this.line += ` ${word}`;
    } else {
      this.startLine();
      this.line = word;
    }
  }

  /** Adds to the last word of the line, and moves the word to the next line if it no longer fits. */
  private joinWord(word: string): void {
    if (this.mayBreakWord && word.length > this.width - this.line.length) {
      this.addWord(word);
      this.mayBreakWord = false;
    } else if (this.lastWord === 0) {
      this.line += word;
    } else {
      const whole = this.line.slice(this.lastWord) + word;
      this.line = this.line.slice(0, this.lastWord - 1);
      this.lastWord = 0;
      this.addWord(whole);
    }
  }
}

function isFolded(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d || code === 0x200b;
}
