import type { z } from 'zod';

/** The first thing that is wrong with a query, for people, with the values or the names that are valid. */
export function issueText({ issues: [issue] }: z.ZodError, known: readonly string[]): string {
  if (issue === undefined) return 'not understood';
  const name = issue.path.join('.');
  const message = issueMessage(issue, known);
  return name === '' ? message : `${name}: ${message}`;
}

/** What is wrong with a value, and what is valid. `known`: the names that a query may have. */
export function issueMessage(issue: z.core.$ZodIssue, known: readonly string[]): string {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const keys = issue.keys.map((key) => `“${key}”`).join(', ');
      return `unknown key ${keys}${known.length === 0 ? '' : `; known: ${known.join(', ')}`}`;
    }
    case 'invalid_value':
      return `no such value; valid: ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? issue.message;
    case 'invalid_union': {
      const [first] = issue.errors.flat();
      return first === undefined ? issue.message : issueMessage(first, known);
    }
    case 'invalid_type':
      return issue.expected === 'number' || issue.expected === 'int' ? 'not a whole number' : issue.message;
    case 'too_small':
      return issue.origin === 'string' ? 'empty' : `at least ${String(issue.minimum)}`;
    case 'too_big':
      return `at most ${String(issue.maximum)}${issue.origin === 'string' ? ' characters' : ''}`;
    default:
      return issue.message;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'no such day; write it as 2026-11-27',
  datetime: 'no such time; write it as 2026-11-27T02:00:00Z',
  uuid: 'not an id, such as 4f871fa2-0c1e-4a53-9d2f-1f6f5f0c3b52',
};
