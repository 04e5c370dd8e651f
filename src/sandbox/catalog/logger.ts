export interface SandboxLogger {
  info(message: string): void;
  error(message: string, error?: unknown): void;
}
