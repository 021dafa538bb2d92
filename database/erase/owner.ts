/** Runs one statement with positional values. */
export type OwnerQuery = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Access to the database as the role that owns the tables. */
export interface Owner {
  /** Runs the statements of `work` in one transaction: commits when `work` ends, rolls back if it throws. */
  transaction<T>(work: (query: OwnerQuery) => Promise<T>): Promise<T>;
  /** Milliseconds that a batch of deletions may take. */
  readonly batchMs: number;
}
