/** The largest answer of another system, in bytes after decompression. The largest real page of products has a tenth of it. */
export const MAX_ANSWER_BYTES = 50_000_000;

/** The same for an answer that is an error, a token or a status: its start is enough. */
export const MAX_SHORT_ANSWER_BYTES = 1_000_000;
