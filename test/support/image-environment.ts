import { readFileSync } from 'node:fs';

/** The variables of the image for the C allocator. They decide how much memory a process gives back. */
export function imageEnvironment(): Readonly<Record<string, string>> {
  const lines = readFileSync('Dockerfile', 'utf8').matchAll(/^ENV (MALLOC_\w+)=(\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}
