import type { Prose, TextKind } from './texts.js';

export interface Finding {
  readonly path: string;
  readonly line: number;
  /** What is wrong, and what to write instead. */
  readonly problem: string;
  readonly sentence: string;
}

interface Term {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Words that only this code base used, or that older English used, with the standard words. */
const TERMS: readonly Term[] = [
  {
    pattern: /\b(?:comes?|came|coming|brings?|brought|bringing)\b(?: \w+){0,4} round\b/i,
    instead: 'complete, finish',
  },
  { pattern: /\b(?:bears|bearing|bore|borne)\b|\bbear (?:an?|the|one|no)\b/i, instead: 'has, carries' },
  { pattern: /\bnudg(?:e|es|ed|ing)\b/i, instead: 'wake, enqueue' },
  { pattern: /\b(?:told|tells?|telling)\b/i, instead: 'log, notify, report, distinguish' },
  { pattern: /\bwish(?:es|ed)?\b/i, instead: 'request' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: 'fix, repair' },
  { pattern: /\bunended\b/i, instead: 'crash count' },
  { pattern: /\bforsak(?:e|en|ing)\b|\bforsook\b/i, instead: 'abandon' },
  { pattern: /\banew\b/i, instead: 'again, new' },
  { pattern: /\bamiss\b|\bawry\b/i, instead: 'wrong' },
  {
    pattern:
      /\bere\b|\bhence\b|\bwhence\b|\bthereof\b|\bwherein\b|\bthither\b|\bhitherto\b|\blest\b|\bunto\b/i,
    instead: 'plain words',
  },
  { pattern: /\bfor good\b/i, instead: 'permanently' },
  { pattern: /\bas long as (?:it|they|one) may\b/i, instead: 'the limit, by name' },
  {
    pattern: /\b(?:is|are|was) heard of\b|\bnever heard\b|\bhears? (?:of|from)\b/i,
    instead: 'receive, know',
  },
  { pattern: /\bspeaks? of\b|\bspoke of\b/i, instead: 'mention, name' },
  { pattern: /\bgives? way\b/i, instead: 'yield, with what and to what' },
  {
    pattern: /\bnobody\b(?! else)(?=[^.]*\b(?:looks|asks?|knows|speaks|waits|comes|came|was there))/i,
    instead: 'name the part of the program',
  },
  { pattern: /\b(?:is|are|be) like that\b/i, instead: 'match' },
  { pattern: /\bno more\b(?! than)(?=[.,;]|$)/i, instead: 'no longer' },
  { pattern: /\ba word too many\b|\btoo long to be one\b/i, instead: 'the limit, by number' },
  { pattern: /\bgo(?:es)? to the queue\b|\bon the way\b/i, instead: 'enqueue; in flight' },
  { pattern: /(?<!not )\bbut for\b/i, instead: 'except' },
  { pattern: /\bfor ever\b/i, instead: 'forever' },
  { pattern: /\bbec(?:o|a)mes? of\b|\bbecome of\b/i, instead: 'the outcome, the state' },
  { pattern: /\bonce more\b/i, instead: 'again' },
  { pattern: /\b(?:for|after) so long[.,;:]/i, instead: 'this long, or the limit by name' },
  { pattern: /\b(?:finds?|found) fault with\b/i, instead: 'has a finding, refuses' },
  { pattern: /\bst(?:ood|ands?) in for\b/i, instead: 'replace' },
  { pattern: /[:;,.] should (?:the|an?|it|one|they)\b/i, instead: 'if' },
  { pattern: /\bat hand\b|\bof one's own\b/i, instead: 'available; your own' },
];

/** The same words inside the names of variables, functions, types and members. */
const NAME_TERMS: readonly Term[] = [
  { pattern: /^(?:unended|wish(?:es|ed)?)$/, instead: 'crashCount; request' },
  { pattern: /^(?:begun|forsaken|anew)$/, instead: 'started; abandoned; again' },
  { pattern: /^(?:told|tells?|untold)$/, instead: 'logged, notified, sent' },
  { pattern: /^(?:bears|borne|bearers)$/, instead: 'owners' },
  { pattern: /^nudg(?:e|es|ed|ing)$/, instead: 'wake, enqueue' },
];

/** Sentences whose noun is a question word: “Who was told to come again need not be kept”. */
const NOUN_CLAUSE =
  /^(?:Who(?:ever)?|What(?:ever)?(?! to do)|That which|Of which|Whichever|Whose) (?![^?]*\?)/;
/** Sentences that start with a participle instead of their subject: “Told where it is waited for”. */
const NO_SUBJECT =
  /^(?:Told|Asked|Said|Heard|Made|Taken|Sent|Left|Held|Kept|Put|Given|Meant|Tried|Looked|Waited)\b(?! (?:only|once)\b)(?= (?:where|when|by|to|for|as|at|in|on|with|off|out|again|before|after|back|over))/;

/** The most words of a sentence. Titles of tests have no limit: they read on after the title of their group. */
const LIMITS: Readonly<Record<TextKind, number>> = {
  comment: 30,
  message: 20,
  document: 35,
  title: Infinity,
  name: Infinity,
};

export function findingsIn(prose: Prose): readonly Finding[] {
  const { kind, path, line, text } = prose;
  if (kind === 'name') return findingsInName(prose);
  return sentencesOf(text).flatMap((sentence) => {
    const problems: string[] = [];
    for (const { pattern, instead } of TERMS) {
      const match = pattern.exec(sentence);
      if (match) problems.push(`“${match[0]}”: write instead: ${instead}`);
    }
    if (kind !== 'title' && NOUN_CLAUSE.test(sentence))
      problems.push('name the subject: the sentence starts with a question word as its noun');
    if (kind !== 'title' && NO_SUBJECT.test(sentence))
      problems.push('name the subject: the sentence starts with a participle');
    const words = wordsOf(sentence);
    if (words > LIMITS[kind])
      problems.push(`${String(words)} words; a ${kind} has at most ${String(LIMITS[kind])} in a sentence`);
    return problems.map((problem) => ({ path, line, problem, sentence }));
  });
}

/** Looks at each word of a name in camel case or with underscores. */
function findingsInName({ path, line, text }: Prose): readonly Finding[] {
  const words = text.split(/(?<=[\p{Ll}\d])(?=\p{Lu})|_|\d+/u).map((word) => word.toLowerCase());
  return NAME_TERMS.filter(({ pattern }) => words.some((word) => pattern.test(word))).map(({ instead }) => ({
    path,
    line,
    problem: `the name “${text}” has a word of its own: write instead: ${instead}`,
    sentence: text,
  }));
}

/** Paragraphs, then sentences. A colon or a semicolon ends none. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n+/)
    .flatMap((paragraph) => paragraph.trim().split(/(?<=[.!?]["”)]?)\s+(?=["“(]?[\p{Lu}`…])/u))
    .filter((sentence) => sentence !== '');
}

function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
