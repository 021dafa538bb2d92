/**
 * Called with the name of a statement when it starts. The returned function is called when the statement ends, with the
 * error if there is one. Units of work and transactions are reported under these names.
 */
export type StatementObserver = (statement: string) => (error?: unknown) => void;

/** Runs `work` and reports its start and end to the observer, if there is one. */
export async function observed<T>(
  observer: StatementObserver | undefined,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (observer === undefined) return work();
  const onEnd = observer(name);
  try {
    const result = await work();
    onEnd();
    return result;
  } catch (error) {
    onEnd(error);
    throw error;
  }
}
