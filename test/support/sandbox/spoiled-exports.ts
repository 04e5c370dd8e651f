import type { Answer, StoreCall } from '../../../src/sandbox/store/index.js';

/** How exports go. `access_denied`: they are not enabled for the app. `truncated`: the file ends in the middle of a line. */
export type BulkMode = 'ok' | 'access_denied' | 'truncated';

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
  if (mode !== 'truncated' || kind !== 'file' || !Buffer.isBuffer(answer.body)) return answer;
  return { ...answer, body: answer.body.subarray(0, cutPoint(answer.body)) };
}

/** About two thirds in, and never at the end of a line. */
function cutPoint(whole: Buffer): number {
  let at = Math.floor((whole.length * 2) / 3);
  while (at > 1 && (whole[at - 1] === 0x0a || whole[at] === 0x0a)) at -= 1;
  return at;
}
