import type { SqlEntityManager } from '@mikro-orm/postgresql';

/** A time of the past at which the work of a session happens, in a company that may have such times. */
export interface Past {
  now: Date;
  /** Last work of each unit of work, in its transaction: sets its time. */
  endOfUnit: (em: SqlEntityManager) => Promise<unknown>;
}

type Work<T> = (em: SqlEntityManager) => Promise<T>;

/** Work whose changes are written, and get their time, before they are committed. */
export const endingIn =
  <T>(past: Past | undefined, work: Work<T>): Work<T> =>
  (em) =>
    past === undefined
      ? work(em)
      : em.transactional(async (inside) => {
          const result = await work(inside);
          await inside.flush();
          await past.endOfUnit(inside);
          return result;
        });
