/**
 * Is told of a statement, by its name, when it begins; what it gives is told when it has ended, and why where it failed.
 * Units of work and transactions are told as such.
 */
export type StatementObserver = (statement: string) => (error?: unknown) => void;

/** Does the work of a statement, of which somebody may be told. */
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
