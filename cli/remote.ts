import { z } from 'zod';
import { ConfigError, serverUrl } from '../server/config/settings.ts';
import type { Settings } from '../server/config/settings.ts';

const HINT = 'use --server or PORT';
const ErrorBody = z.object({ error: z.string() });
/** Calls a management procedure of the running server. */
export type CallServer = (procedure: string, input?: object) => Promise<unknown>;

/** Options of `fetch`, as both Node and tRPC declare them. */
type Init = Omit<RequestInit, 'signal'> & { signal?: AbortSignal | null | undefined };

const TrpcBody = z.union([z.object({ result: z.unknown() }), z.object({ error: z.object({ message: z.string() }) })]);

/**
 * Base URL of the server that a command calls, without a trailing slash.
 * @param serverOption value of `--server`; if undefined, HOST and PORT identify the server
 * @throws ConfigError if the option is not an HTTP URL
 */
export function serverOf(serverOption: string | undefined, settings: Settings): string {
  if (serverOption === undefined) return serverUrl(settings);
  const url = URL.parse(serverOption);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new ConfigError('--server: expected a URL like http://127.0.0.1:3000');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/**
 * Sends a request to a path of the server.
 * @param tokenSource setting or file that the operator token of the request was read from
 * @throws ConfigError if there is no response, or the server does not accept the token
 */
export async function call(
  server: string,
  path: string,
  { signal, ...init }: Init,
  tokenSource?: string,
): Promise<Response> {
  const response = await fetch(`${server}${path}`, { ...init, signal: signal ?? null }).catch((cause: unknown) => {
    throw new ConfigError(`no server at ${server}; ${HINT}`, { cause });
  });
  if (response.status === 401 && tokenSource !== undefined)
    throw new ConfigError(
      `${tokenSource}: ${server} does not accept this operator token; set OPERATOR_TOKEN to its own`,
    );
  return response;
}

/**
 * Creates the error for an unexpected response.
 * @param body parsed body of the response
 */
export function unexpected(server: string, { status, headers }: Response, body: unknown): ConfigError {
  const { data } = ErrorBody.safeParse(body);
  if (data !== undefined && headers.has('X-Error-Code')) return new ConfigError(data.error);
  return new ConfigError(`${server} responded ${status} and is not this service; ${HINT}`);
}

/**
 * Returns options of a tRPC link to the server. Calls throw ConfigError unless the server is this service, and accepts the token.
 * @param tokenSource setting or file that the operator token was read from
 */
export function trpcLinkTo(server: string, tokenSource: string) {
  return {
    url: `${server}/trpc`,
    fetch: async (url: string | URL | Request, init: Init = {}): Promise<Response> => {
      const href = url instanceof Request ? url.url : url.toString();
      const response = await call(server, href.slice(server.length), init, tokenSource);
      const body: unknown = await response
        .clone()
        .json()
        .catch(() => undefined);
      if (!TrpcBody.safeParse(body).success) throw unexpected(server, response, body);
      return response;
    },
  };
}
