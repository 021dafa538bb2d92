import { createApp } from '../../server/app.ts';
import { HttpServer } from '../../server/http.ts';
import { openLimits } from '../../server/limits.ts';
import type { Limits } from '../../server/limits.ts';
import { createLog } from '../../server/log.ts';
import { OPERATOR_TOKEN } from './company.ts';
import { conform } from './conformity.ts';
import { database } from './database.ts';

type Options = NonNullable<Parameters<typeof createApp>[3]>;

/** A server of its own with these options: a function that asks it, and one that ends it. */
export async function startApp(options: Options, over = database) {
  const server = new HttpServer(createApp(over, OPERATOR_TOKEN, createLog('silent'), options).callback());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, { ...init, headers });
    conform(init.method ?? 'GET', path, {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text: await answer.clone().text(),
    });
    return answer;
  };
  return { url, ask, stop: () => server.stop() };
}

/** Limits with a window that a test can wait for. */
export async function limitsOf(
  rateLimitPerMinute: number,
  window = 60,
  redisUrl?: string,
  log = createLog('silent'),
): Promise<Limits> {
  const limits = await openLimits({ rateLimitPerMinute, redisUrl }, log, window);
  if (limits === undefined) throw new Error('a limit of 0 is none');
  return limits;
}
