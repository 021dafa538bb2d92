import type { Exchange } from '../exchange.ts';
import { respondIdempotently } from '../idempotent-call.ts';
import { respondWithBytes } from './bytes.ts';
import { writeJson } from './json.ts';
import { respondWithList } from './list.ts';
import { respondWithStream } from './stream.ts';
import type { ResponseTarget } from './target.ts';
import { writeUpsert } from './upsert.ts';

/** Calls the procedure of a request and responds by the kind of its response. */
export function respond(exchange: Exchange): Promise<void> {
  const { response } = exchange.route;
  switch (response.kind) {
    case 'json':
      return respondOnce(exchange, (target, output) => writeJson(target, exchange, response, output));
    case 'upsert':
      return respondOnce(exchange, (target, output) => writeUpsert(target, exchange, response, output));
    case 'list':
      return respondWithList(exchange, response);
    case 'bytes':
      return respondWithBytes(exchange);
    default:
      return respondWithStream(exchange, response);
  }
}

/** Responds with one value, which a request with an `Idempotency-Key` records. */
async function respondOnce(
  exchange: Exchange,
  write: (target: ResponseTarget, output: unknown) => void,
): Promise<void> {
  const { ctx, requestHeaders, isDryRun, upload } = exchange;
  try {
    if (requestHeaders.idempotencyKey === undefined || isDryRun) write(ctx, await exchange.callProcedure());
    else await respondIdempotently(exchange, write);
  } finally {
    await upload?.discard();
  }
}
