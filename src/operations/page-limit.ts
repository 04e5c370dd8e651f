/** The most rows that one page of a list has. */
export const PAGE_LIMIT = 200;
