const UNITS = ['I', 'X', 'C', 'M'];
const FIVES = ['V', 'L', 'D'];
const LARGEST_ROMAN = 3999;

/**
 * The number of a list item as the list's `type` shows it: `3`, `c`, `C`, `iii` or `III`. Digits when the type cannot
 * express the number.
 */
export function listNumber(number: number, type: string): string {
  switch (type) {
    case 'a':
      return number < 1 ? String(number) : letters(number, 'a');
    case 'A':
      return number < 1 ? String(number) : letters(number, 'A');
    case 'i':
      return roman(number).toLowerCase();
    case 'I':
      return roman(number);
    default:
      return String(number);
  }
}

/** a to z, then aa, ab and so on. */
function letters(number: number, first: string): string {
  let rest = number;
  let text = '';
  while (rest > 0) {
    rest -= 1;
    text = String.fromCharCode(first.charCodeAt(0) + (rest % 26)) + text;
    rest = Math.floor(rest / 26);
  }
  return text;
}

function roman(number: number): string {
  if (number < 1 || number > LARGEST_ROMAN) return String(number);
  return Array.from(String(number), Number)
    .reverse()
    .map((digit, place) => romanDigit(digit, place))
    .reverse()
    .join('');
}

function romanDigit(digit: number, place: number): string {
  const unit = UNITS[place] ?? '';
  const five = FIVES[place] ?? '';
  if (digit % 5 === 4) return unit + (digit === 4 ? five : (UNITS[place + 1] ?? ''));
  return (digit < 5 ? '' : five) + unit.repeat(digit % 5);
}
