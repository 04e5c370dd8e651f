/** The environment variables of the process. Nothing else reads `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A frozen copy of the process's environment: the one place that reads it (docs/architecture.md#folders-and-imports). */
export function environment(): Environment {
  return Object.freeze({ ...process.env });
}
