import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns';
import { once } from 'node:events';
import type { Resolve } from '../../../server/outbound/resolve-name.ts';

const HEADER_BYTES = 12;
/** Flags of a response without an error, and of one for an unknown name. https://www.rfc-editor.org/rfc/rfc1035#section-4.1.1 */
const FOUND = 0x8180;
const UNKNOWN_NAME = 0x8183;

/** An A record for the name of the question, with a time to live of 0 s. */
const addressRecord = (ip: string) =>
  Buffer.from([0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split('.').map(Number)]);

/** Reads the name of the question. */
function nameIn(query: Buffer): string {
  const labels: string[] = [];
  let offset = HEADER_BYTES;
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return labels.join('.');
}

/**
 * Starts a DNS server on this machine. It knows `zone`: the addresses in the first response for a name, in the second, and
 * so on; the last ones are repeated. A name with no addresses gets no response at all.
 */
export async function startDnsServer(zone: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const queries: string[] = [];
  const socket = createSocket('udp4', (query, { port, address }) => {
    const name = nameIn(query);
    const responses = zone[name];
    const addresses = responses?.[Math.min(queries.filter((other) => other === name).length, responses.length - 1)];
    queries.push(name);
    if (addresses?.length === 0) return;
    const question = query.subarray(HEADER_BYTES, query.indexOf(0, HEADER_BYTES) + 5);
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(addresses === undefined ? UNKNOWN_NAME : FOUND, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses?.length ?? 0, 6);
    socket.send(Buffer.concat([header, question, ...(addresses ?? []).map(addressRecord)]), port, address);
  });
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  const server = `127.0.0.1:${socket.address().port}`;
  const resolver = new Resolver();
  resolver.setServers([server]);
  const resolve: Resolve = (hostname, _, callback) =>
    resolver.resolve4(hostname, (error, addresses) =>
      callback(error, error === null ? addresses.map((address) => ({ address, family: 4 })) : []),
    );
  const close = () => {
    resolver.cancel();
    socket.close();
  };
  return { address: server, resolve, queries, close };
}
