/** How to end what the current test file has opened and not ended yet, in the order of opening. */
const ends = new Set();

/**
 * Has `end` called at the end of the test file, unless the function that this returns was called before. A file whose `beforeAll` fails may
 * hold nothing that its `afterAll` could end, and a process or server that stays keeps Jest from ending.
 */
export function endWithTheFile(end) {
  ends.add(end);
  return () => void ends.delete(end);
}

/** Ends what the file left open, the newest first. A failure is printed and does not keep the others open. */
export async function endWhatIsLeftOpen() {
  for (const end of [...ends].reverse()) {
    ends.delete(end);
    try {
      await end();
    } catch (error) {
      console.error('a test file left something open that does not end', error);
    }
  }
}
