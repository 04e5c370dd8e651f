export function replaceNow(now: () => number): void;
