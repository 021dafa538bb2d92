import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { Session } from '../entities/database/session.ts';
import { FORGOTTEN_AT_ONCE, forgetAnswers } from '../entities/statements/remembered-answer.ts';

/** Milliseconds between two rounds: for about so long an answer that has expired is still stored, and not given. */
const INTERVAL = 60_000;

/**
 * Removes remembered answers that have expired, outside any request; several processes on one database share the work.
 * @param interval milliseconds between two rounds
 * @returns stops it: resolves when the statement that runs, if any, has ended
 */
export function startForgetting(
  database: Database,
  log: Pick<Logger, 'warn'>,
  interval = INTERVAL,
): () => Promise<void> {
  const session = new Session(database, null, 'forgetting');
  const stopped = new AbortController();
  let round = Promise.resolve();

  async function forget(): Promise<void> {
    try {
      for (let gone = FORGOTTEN_AT_ONCE; gone === FORGOTTEN_AT_ONCE && !stopped.signal.aborted;) {
        gone = (await session.only(forgetAnswers, {})).forgotten;
      }
    } catch (error) {
      log.warn({ err: error }, 'expired answers were not removed');
    }
  }

  const timer = setInterval(() => {
    round = round.then(forget);
  }, interval).unref();
  return () => {
    stopped.abort();
    clearInterval(timer);
    return round;
  };
}
