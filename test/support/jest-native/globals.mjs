/**
 * The module `@jest/globals` of test files that Node's own loader loads. Jest has a new `describe` and `it` for each test file.
 * Modules that stay loaded see them, because these exports are live bindings.
 */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
