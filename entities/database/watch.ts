/**
 * Is told of a statement, by its name, when it begins; what it gives is told when it has ended, and why where it failed.
 * Units of work and transactions are told as such.
 */
export type Watch = (statement: string) => (failure?: unknown) => void;

/** Does the work of a statement, of which somebody may be told. */
export async function watched<T>(watch: Watch | undefined, name: string, work: () => Promise<T>): Promise<T> {
  if (watch === undefined) return work();
  const ended = watch(name);
  try {
    const result = await work();
    ended();
    return result;
  } catch (error) {
    ended(error);
    throw error;
  }
}
