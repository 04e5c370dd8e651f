const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeText(text: string): string {
  return /[&<>]/.test(text) ? text.replaceAll(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign) : text;
}

/** Escapes a value for double quotes. */
export function escapeAttribute(value: string): string {
  return /[&<>"]/.test(value) ? value.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign) : value;
}
