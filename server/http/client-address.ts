import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import type { RequestState } from './request-state.ts';

/** An address in brackets, or one of IPv4 with a port behind it. IPv6 without brackets cannot have a port. */
const DECORATED = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/;

/**
 * Sets the address of the client. Koa takes the entry of `X-Forwarded-For` that the outermost trusted proxy wrote, as it stands: with the
 * port that some proxies add, it is in no range of a key, and another one for each connection. A proxy that does not tell the
 * address of its client stands for it.
 */
export const readClientAddress: Middleware<RequestState> = (ctx, next) => {
  const { ips, socket } = ctx.request;
  ctx.request.ip = ips.map(addressOf).find((address) => address !== undefined) ?? socket.remoteAddress ?? '';
  return next();
};

function addressOf(entry: string): string | undefined {
  const [, bracketed, ipv4] = DECORATED.exec(entry) ?? [];
  const address = bracketed ?? ipv4 ?? entry;
  return isIP(address) === 0 ? undefined : address;
}
