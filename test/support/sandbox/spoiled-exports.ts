import type { Answer, StoreCall } from '../../../src/sandbox/store/index.js';

export type BulkMode =
  | 'ok'
  /** Bulk operations are not enabled for the app. */
  | 'access_denied'
  /** Ends FAILED. */
  | 'failed'
  /** Ends CANCELED and offers a part of the file, as recorded. */
  | 'cancelled_with_url'
  /** COMPLETED, but the file ends in the middle of a line. */
  | 'truncated'
  /** COMPLETED without a file. */
  | 'empty'
  /** COMPLETED, but the file is no longer given out. */
  | 'url_expired'
  /** COMPLETED, with counts larger than the file. */
  | 'wrong_counts';

interface ExportView {
  readonly status: string;
  readonly objectCount: string;
  readonly rootObjectCount: string;
}
interface PollBody {
  readonly data?: { readonly bulkOperation?: ExportView | null };
}

const DENIED = {
  data: { bulkOperationRunQuery: null },
  errors: [
    {
      message: 'Access denied for bulkOperationRunQuery field. Bulk operations are not enabled for this app.',
      path: ['bulkOperationRunQuery'],
      extensions: { code: 'ACCESS_DENIED' },
    },
  ],
};

/** The answer to a call where exports go as `mode` says. */
export async function spoiled(
  mode: BulkMode,
  { kind, fields }: StoreCall,
  proceed: () => Promise<Answer>,
): Promise<Answer> {
  if (mode === 'access_denied' && fields.includes('bulkOperationRunQuery'))
    return { status: 200, body: DENIED };
  const answer = await proceed();
  if (kind === 'file') return spoiledFile(mode, answer);
  if (mode === 'ok' || !fields.includes('bulkOperation') || answer.status !== 200) return answer;
  const body = answer.body as PollBody;
  const present = body.data?.bulkOperation;
  if (present?.status !== 'COMPLETED') return answer;
  const bulkOperation = { ...present, ...changesOf(mode, present) };
  return { ...answer, body: { ...body, data: { ...body.data, bulkOperation } } };
}

function changesOf(mode: BulkMode, { objectCount, rootObjectCount }: ExportView): object {
  switch (mode) {
    case 'failed':
      return { status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR', url: null, fileSize: null };
    case 'cancelled_with_url':
      return { status: 'CANCELED', fileSize: null };
    case 'empty':
      return { objectCount: '0', rootObjectCount: '0', url: null, fileSize: null };
    case 'wrong_counts':
      return {
        objectCount: String(Number(objectCount) + 3),
        rootObjectCount: String(Number(rootObjectCount) + 1),
      };
    default:
      return {};
  }
}

function spoiledFile(mode: BulkMode, answer: Answer): Answer {
  if (mode === 'url_expired') {
    const body = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>ExpiredToken</Code></Error>`;
    return { status: 400, body, headers: { 'content-type': 'application/xml' } };
  }
  const isCut = mode === 'truncated' || mode === 'cancelled_with_url';
  if (!isCut || !Buffer.isBuffer(answer.body)) return answer;
  return { ...answer, body: answer.body.subarray(0, cutPoint(answer.body)) };
}

/** About two thirds in, and never at the end of a line. */
function cutPoint(whole: Buffer): number {
  let at = Math.floor((whole.length * 2) / 3);
  while (at > 1 && (whole[at - 1] === 0x0a || whole[at] === 0x0a)) at -= 1;
  return at;
}
