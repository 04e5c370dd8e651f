export declare const TEST_KINDS: Readonly<Record<string, readonly string[]>>;
