import type { Environment } from './environment.js';
import { readTextFile } from './text-file.js';

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}/g;

/**
 * YAML interprets `{ } [ ] , : #`, so `{ apiToken: ${TOKEN} }` would not parse. Inside references, these characters
 * are replaced by private-use characters, one for one. So lines and columns of syntax errors stay correct.
 */
const MASK_OFFSET = 0xe000;

/** The text with references that a YAML parser accepts. */
export function maskReferences(text: string): string {
  return text.replaceAll(/\$\{[^}\n]*\}/g, (reference) =>
    reference.replaceAll(/[{}[\],:#]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) + MASK_OFFSET)),
  );
}

/** The opposite of `maskReferences`, for any string that came out of the parser. */
export function unmaskReferences(text: string): string {
  return text.replaceAll(/[\uE023-\uE07D]/g, (sign) =>
    String.fromCodePoint(sign.charCodeAt(0) - MASK_OFFSET),
  );
}

export type Expansion =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };

/**
 * Replaces `${NAME}` and `${NAME:-default}` with the environment's value (docs/configuration.md). Like in a shell,
 * the default is used for an unset and for an empty variable. References inside a value are not replaced. `$${` is a
 * literal `${`.
 */
export function expandReferences(text: string, env: Environment): Expansion {
  const parts = text.split('$${');
  const problems: string[] = [];
  const expanded = parts.map((part) => {
    const rest = part.replaceAll(REFERENCE, '');
    if (rest.includes('${')) problems.push('expected ${NAME} or ${NAME:-default}');
    return part.replaceAll(REFERENCE, (_all, name: string, hasDefault: string | undefined, fallback = '') => {
      const found = lookUp(name, env);
      if (!found.ok) problems.push(found.problem);
      else if (found.value !== undefined && (found.value !== '' || hasDefault === undefined))
        return found.value;
      else if (hasDefault === undefined)
        problems.push(`the environment variable ${name} is not set, nor is ${name}_FILE`);
      return String(fallback);
    });
  });
  return problems.length > 0
    ? { ok: false, problem: problems.join(', ') }
    : { ok: true, value: expanded.join('${') };
}

export type Lookup =
  | { readonly ok: true; readonly value: string | undefined }
  | { readonly ok: false; readonly problem: string };

/**
 * A variable's value, or the content of the file that `NAME_FILE` names, without one trailing newline; undefined when
 * neither is set.
 */
export function lookUp(name: string, env: Environment): Lookup {
  const value = env[name];
  const file = env[`${name}_FILE`];
  if (file === undefined || file === '') return { ok: true, value };
  if (value !== undefined && value !== '') {
    return { ok: false, problem: `both ${name} and ${name}_FILE are set; expected one of them` };
  }
  const read = readTextFile(file);
  return read.ok
    ? { ok: true, value: read.text.replace(/\r?\n$/, '') }
    : { ok: false, problem: `the file ${file} that ${name}_FILE names cannot be read (${read.code})` };
}
