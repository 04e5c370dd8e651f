/** A part of a configuration file; maps merge into the world's own settings, lists and texts replace. */
export type Settings = Readonly<Record<string, unknown>>;

export function merged(below: Settings, above: Settings): Settings {
  const result: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const present = result[key];
    result[key] = isMap(present) && isMap(value) ? merged(present, value) : value;
  }
  return result;
}

function isMap(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
