import { CodedError } from '../domain/errors.js';
import { onOneLine } from '../domain/text.js';

/** One problem of the configuration. */
export interface ConfigProblem {
  /** Path of the key, such as `stores.main.shop`; empty for the file as a whole. */
  readonly key: string;
  /** The problem and the expected value. Never the actual value, because it may be a secret. */
  readonly text: string;
  /** File and, if known, line; or the environment variable with the value. */
  readonly source: string;
}

/** The configuration cannot be used. The message is one line that names every problem. */
export class ConfigError extends CodedError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], cause?: unknown) {
    super('misconfigured', problems.map(problemLine).join('; '), { cause });
    this.problems = problems;
  }
}

/** `stores.main.shop: expected a shop domain (config.yaml:12)`, on one line. */
export function problemLine(problem: ConfigProblem): string {
  const subject = problem.key === '' ? '' : `${problem.key}: `;
  return onOneLine(`${subject}${problem.text} (${problem.source})`);
}

/** `stores.main.locales[1]` */
export function keyPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}
