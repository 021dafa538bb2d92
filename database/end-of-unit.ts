import type { SqlEntityManager } from '@mikro-orm/postgresql';

/** Last work of a unit of work, in its transaction. */
export type EndOfUnit = (em: SqlEntityManager) => Promise<unknown>;

/** Work that ends with `end`, after its changes were written and before they are committed. */
export const withEnd =
  <T>(work: (em: SqlEntityManager) => Promise<T>, end: EndOfUnit | undefined) =>
  (em: SqlEntityManager): Promise<T> =>
    end === undefined
      ? work(em)
      : em.transactional(async (inside) => {
          const result = await work(inside);
          await inside.flush();
          await end(inside);
          return result;
        });
