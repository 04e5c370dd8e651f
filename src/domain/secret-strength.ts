/** Shorter values can be guessed, and masking them in texts would also mask ordinary words. */
export const SHORTEST_SECRET = 16;

/** Words of examples in documents, without separators. No random secret contains one. */
const PLACEHOLDER_WORDS: readonly string[] = [
  'changeme',
  'changethis',
  'replaceme',
  'replacethis',
  'replacewith',
  'placeholder',
  'putyour',
  'insertyour',
  'yoursecret',
  'yourtoken',
  'yourpassword',
  'yourown',
  'supersecret',
  'notasecret',
  'examplesecret',
  'exampletoken',
];

const SEQUENCES: readonly string[] = ['0123456789abcdef', '1234567890', 'abcdefghijklmnopqrstuvwxyz'];

export type Weakness = 'short' | 'placeholder';

/** The reason why a value is no secret; null when none is known. */
export function weaknessOf(secret: string): Weakness | null {
  if (secret.length < SHORTEST_SECRET) return 'short';
  const plain = secret.toLowerCase().replaceAll(/[\s._-]/g, '');
  const isPlaceholder =
    PLACEHOLDER_WORDS.some((word) => plain.includes(word)) ||
    /^<.*>$|^x*$|^0*$|^\**$/.test(plain) ||
    SEQUENCES.some((sequence) => isRepeated(plain, sequence));
  return isPlaceholder ? 'placeholder' : null;
}

/** True for `1234567890123456` and other beginnings of a repeated sequence. */
function isRepeated(text: string, sequence: string): boolean {
  return sequence.repeat(Math.ceil(text.length / sequence.length)).startsWith(text);
}
