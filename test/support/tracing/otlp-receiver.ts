import { createServer, type Server } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { close, listen } from '../../../src/sandbox/shop-server.js';

export interface ReceivedSpan {
  readonly service: unknown;
  readonly name: string;
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string;
  readonly durationMs: number;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** A collector: takes OTLP by http/protobuf and keeps the spans. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that came, headers and bodies, to search for what must not be in it. */
  readonly raw: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server, await listen(server, 0));
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        receiver.raw.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
        receiver.raw.push(JSON.stringify(request.headers), plain.toString('latin1'));
        receiver.spans.push(...spansOf(plain));
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    return receiver;
  }

  close(): Promise<void> {
    return close(this.server);
  }
}

type Value = bigint | Buffer;

/** A protobuf message's fields by number; 8-byte and 4-byte values as bytes. */
function fieldsOf(message: Buffer): Map<number, Value[]> {
  const fields = new Map<number, Value[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => message.subarray(at, (at += length));
  while (at < message.length) {
    const tag = Number(varint());
    const type = tag & 7;
    const value = type === 0 ? varint() : type === 2 ? bytes(Number(varint())) : bytes(type === 1 ? 8 : 4);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

function messages(fields: Map<number, Value[]>, number: number): Map<number, Value[]>[] {
  return (fields.get(number) ?? []).filter((value) => Buffer.isBuffer(value)).map(fieldsOf);
}

function bytesOf(fields: Map<number, Value[]>, number: number): Buffer {
  const [value] = fields.get(number) ?? [];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

/** KeyValue { key = 1, value = 2 }; AnyValue { string = 1, bool = 2, int = 3, double = 4 }. */
function attributesOf(fields: Map<number, Value[]>, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(fields, number).map((pair) => {
      const [value] = messages(pair, 2);
      const text = value?.get(1)?.[0];
      const other = value?.get(2)?.[0] ?? value?.get(3)?.[0];
      return [
        bytesOf(pair, 1).toString(),
        Buffer.isBuffer(text) ? text.toString() : typeof other === 'bigint' ? Number(other) : other,
      ];
    }),
  );
}

/** opentelemetry.proto.collector.trace.v1: request → resource spans (1) → resource (1), scope spans (2) → spans (2). */
function spansOf(body: Buffer): ReceivedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const service = resource && attributesOf(resource, 1)['service.name'];
    return messages(resourceSpans, 2)
      .flatMap((scope) => messages(scope, 2))
      .map((span) => {
        const [status] = messages(span, 15);
        const time = (number: number): bigint => bytesOf(span, number).readBigUInt64LE();
        return {
          service,
          name: bytesOf(span, 5).toString(),
          traceId: bytesOf(span, 1).toString('hex'),
          id: bytesOf(span, 2).toString('hex'),
          parentId: bytesOf(span, 4).toString('hex'),
          durationMs: Number(time(8) - time(7)) / 1e6,
          facts: attributesOf(span, 9),
          isError: status?.get(3)?.[0] === 2n,
        };
      });
  });
}
