import { createTRPCUntypedClient, httpLink } from '@trpc/client';
import type { AppRouter } from '../../procedures/index.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { FILES_PATH } from '../../server/move/route.ts';
import { call as callPath, trpcLinkTo, unexpected } from '../remote.ts';
import type { CallServer } from '../remote.ts';

/** A cell as the command reaches it. */
export interface Cell {
  url: string;
  call: CallServer;
  /** The operator's credential. */
  headers: { Authorization: string };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @throws ConfigError unless the URL is one of HTTPS, or of HTTP on this machine */
export function targetUrl(to: string): string {
  const url = URL.parse(to);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url === null || !isSafe)
    throw new ConfigError('--to: expected the URL of the other cell with https; http only for a loopback address');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The other cell. @throws ConfigError without its token */
export function targetCell(url: string, token: string | undefined): Cell {
  if (token === undefined)
    throw new ConfigError('TARGET_OPERATOR_TOKEN: expected the operator token of the other cell');
  const headers = { Authorization: `Bearer ${token}` };
  const client = createTRPCUntypedClient<AppRouter>({
    links: [httpLink({ ...trpcLinkTo(url, 'TARGET_OPERATOR_TOKEN'), headers })],
  });
  return { url, headers, call: (procedure, input) => client.mutation(`management.${procedure}`, input) };
}

/** Copies the bytes of a file from one cell to the other, without storing them in between. */
export async function copyFile(source: Cell, target: Cell, company: number, uniqueId: string): Promise<void> {
  const path = `${FILES_PATH}/${company}/${uniqueId}`;
  const read = await callPath(source.url, path, { headers: source.headers });
  if (!read.ok || read.body === null) throw await failed(source, read);
  const init = { method: 'PUT', headers: target.headers, body: read.body, duplex: 'half' } as const;
  const written = await callPath(target.url, path, init);
  if (!written.ok) throw await failed(target, written);
}

async function failed({ url }: Cell, response: Response): Promise<ConfigError> {
  return unexpected(url, response, await response.json().catch(() => undefined));
}
