import { Readable } from 'node:stream';
import type { Assumptions } from './assumptions.js';
import type { Payload } from './http.js';

/** The file's bytes, or a function that opens it. A retry needs the file again, and a stream can be read only once. */
export type CsvFile = Uint8Array | (() => Readable);

export interface CsvBody {
  readonly payload: Payload;
  readonly contentType: string;
}

/** The body of a CSV upload (docs/catalog-rules.md#csv-upload-of-products): a form, which is assumed. */
export function csvBody(
  file: CsvFile,
  filename: string,
  { field }: Pick<Assumptions['uploadCsv'], 'field'>,
  boundary: string,
): CsvBody {
  const head = Buffer.from(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="${quoted(field)}"; filename="${quoted(filename)}"\r\n` +
      'Content-Type: text/csv\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const contentType = `multipart/form-data; boundary=${boundary}`;
  if (typeof file !== 'function') return { payload: Buffer.concat([head, file, tail]), contentType };
  return { payload: () => Readable.from(framed(head, file(), tail), { objectMode: false }), contentType };
}

async function* framed(head: Uint8Array, file: Readable, tail: Uint8Array): AsyncGenerator<Uint8Array> {
  yield head;
  for await (const chunk of file as AsyncIterable<Uint8Array | string>) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  yield tail;
}

/** Escaped as in forms, because a quote or a line break would end the header. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
