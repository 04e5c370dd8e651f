/** The error of work that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error('something that is no Error was thrown', { cause: error });
  }
  throw new Error('it did not fail');
}
