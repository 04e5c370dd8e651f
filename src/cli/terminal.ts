import { styleText } from 'node:util';
import { CodedError } from '../domain/errors.js';
import { toneOf, type Tone } from '../operations/state-tones.js';

type Style = Parameters<typeof styleText>[0];

/** Coloured on a terminal that supports colours; plain in a pipe and under NO_COLOR. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

const COLOURS: Readonly<Record<Tone, Style | null>> = {
  good: 'green',
  busy: 'yellow',
  warn: 'yellow',
  bad: 'red',
  calm: null,
};
/** Words of commands that are no states of rows: findings of a check, slots, and kinds of drift. */
const OTHER_WORDS: Readonly<Record<string, Tone>> = {
  ok: 'good',
  ours: 'good',
  warn: 'warn',
  foreign: 'warn',
  FAIL: 'bad',
  deleted: 'bad',
};

/** A state in the colour of its severity. */
export function paintState(state: string, width = 0): string {
  const colour = COLOURS[OTHER_WORDS[state] ?? toneOf(state)];
  const text = state.padEnd(width);
  return colour === null ? text : paint(colour, text);
}

/** Control characters and marks of text direction, except line feeds, tabs, and the styles of `paint`. */
const DRIVING =
  /(?!\u001b\[(?:1|2|22|31|32|33|36|39)m)[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The text with a space for each character by which a text from outside could control the terminal. */
export function harmless(text: string): string {
  return text.replaceAll(DRIVING, ' ');
}

/**
 * One line of text from a store or from generation. Control characters would affect the terminal, so they are
 * removed.
 */
export function printable(text: string, length = 160): string {
  const flat = text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const signs = Array.from(new Intl.Segmenter().segment(flat), ({ segment }) => segment);
  return signs.length > length ? `${signs.slice(0, length - 1).join('')}…` : flat;
}

/** A quoted text, or a word for no text. */
export function quoted(text: string | null, length = 100): string {
  return text === null || text === '' ? '(nothing)' : `"${printable(text, length)}"`;
}

/** The action of a command that has several; the first one by default. Throws `invalid` for an unknown action. */
export function actionOf<const Names extends readonly [string, ...string[]]>(
  command: string,
  names: Names,
  given: string | undefined,
): Names[number] {
  const name = given ?? names[0];
  const known = names.find((each) => each === name);
  if (known !== undefined) return known;
  throw new CodedError(
    'invalid',
    `${command} has no action "${printable(name, 40)}"; choose one of: ${names.join(', ')}`,
  );
}

/** The ids for an action. Throws `invalid` when there are none. */
export function idsFor(command: string, action: string, ids: readonly string[]): readonly string[] {
  if (ids.length > 0) return ids;
  throw new CodedError('invalid', `${command} ${action} needs at least one id`);
}

/** Rejects extra arguments: they are usually typing errors. */
export function nothingMore(command: string, rest: readonly string[]): void {
  if (rest.length > 0)
    throw new CodedError('invalid', `${command} does not take "${printable(rest.join(' '), 60)}"`);
}
