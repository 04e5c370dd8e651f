// The sandbox shares no code with the program that is tried against it, so it has these two of its own.

/** The text without the given characters at its end, however many there are. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The text without the given characters at either end. */
export function withoutOuter(text: string, characters: string): string {
  const trimmed = withoutTrailing(text, characters);
  let start = 0;
  while (start < trimmed.length && characters.includes(trimmed.charAt(start))) start += 1;
  return trimmed.slice(start);
}
