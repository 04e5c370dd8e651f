import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

// The floor of a full run: reads, parses, groups and hashes an export file, and nothing else. Prints seconds.

const [path = ''] = process.argv.slice(2);
const began = performance.now();
const digests = new Map<string, string>();
let group: unknown[] = [];
let root = '';
const end = (): void => {
  if (root !== '') digests.set(root, createHash('sha256').update(JSON.stringify(group)).digest('hex'));
};
const take = (line: string): void => {
  const node = JSON.parse(line) as { id: string; __parentId?: string };
  if (node.__parentId === undefined) {
    end();
    root = node.id;
    group = [node];
  } else {
    group.push(node);
  }
};
const decoder = new StringDecoder('utf8');
let rest = '';
const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 256 * 1024 });
for await (const chunk of chunks) {
  const lines = (rest + decoder.write(chunk)).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) take(line);
}
if (rest !== '') take(rest);
end();
process.stdout.write(`seconds ${String((performance.now() - began) / 1000)} ${String(digests.size)}\n`);
