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
  if (response.kind === 'list') return respondWithList(exchange, response);
  if (response.kind === 'bytes') return respondWithBytes(exchange);
  if (response.kind === 'stream') return respondWithStream(exchange, response);
  return respondOnce(exchange, (target, output) =>
    response.kind === 'json'
      ? writeJson(target, exchange, response, output)
      : writeUpsert(target, exchange, response, output),
  );
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
