import { connect } from 'node:net';
import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { sendRequest } from '../service/http-client.ts';
import type { Company } from '../service/companies.ts';
import { checkWithFixtures } from './document.ts';
import type { ExistingIds, TestFixture } from './document.ts';
import { Finding } from '../runner/finding.ts';
import { requireNoForeignMarkers } from '../runner/oracle.ts';
import type { Service } from '../service/service.ts';
import type { Suite } from '../runner/suite.ts';

/** Names of valid requests. */
const REQUEST_NAMES = [
  'list',
  'whoami',
  'create',
  'chunked',
  'change',
  'remove',
  'head',
  'absolute',
  'call',
  'batch',
  'expect',
] as const;
type RequestName = (typeof REQUEST_NAMES)[number];

function requestBytes(name: RequestName, { keys }: Company, { vendor }: ExistingIds, host: string): Buffer {
  const vendors = '/external/smart-inventory/vendor';
  const head = (line: string, ...more: string[]) =>
    [`${line} HTTP/1.1`, `Host: ${host}`, `X-API-Key: ${keys.full.rawKey}`, ...more, '', ''].join('\r\n');
  const withBody = (line: string, body: string) =>
    head(line, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`) + body;
  const created = '{"name":"Ünïcode 😀","description":"<p>x</p>"}';
  const texts: Record<RequestName, string> = {
    list: head(`GET ${vendors}/list?limit=2&q=Vendor`),
    whoami: head('GET /external/api-key/whoami', 'Accept: application/problem+json'),
    create: withBody(`POST ${vendors}/new`, created),
    chunked: `${head(`POST ${vendors}/new`, 'Content-Type: application/json', 'Transfer-Encoding: chunked')}8\r\n{"name":\r\n4\r\n"x"}\r\n0\r\nX-Trailer: y\r\n\r\n`,
    change: withBody(`PATCH ${vendors}/${vendor}/edit`, '{"name":"Renamed","active":false}'),
    remove: head(`DELETE ${vendors}/01a1fe13-fee2-72ec-b233-f0bb12ac1b53/delete`, 'If-Match: "1-00000000"'),
    head: head(`HEAD ${vendors}/${vendor}/item`, 'If-None-Match: "1-00000000", W/"2"'),
    absolute: head(`GET http://${host}/external/audit/list?limit=1`),
    call: withBody('POST /trpc/vendor.create', created),
    batch: withBody('POST /trpc/vendor.create,vendor.list?batch=1', `{"0":${created},"1":{}}`),
    expect:
      head(`POST ${vendors}/new`, 'Expect: 100-continue', 'Content-Type: application/json', 'Content-Length: 12') +
      '{"name":"x"}',
  };
  return Buffer.from(texts[name]);
}

/** A change of the bytes of a request. Offsets are in thousandths of its length. */
type Mutation =
  | { type: 'flip'; at: number; bit: number }
  | { type: 'insert'; at: number; bytes: string }
  | { type: 'cut'; at: number; length: number }
  | { type: 'repeat'; at: number; length: number }
  | { type: 'double'; line: number }
  | { type: 'swap'; line: number }
  | { type: 'header'; line: string }
  | { type: 'replace'; from: string; to: string };

const HEADERS = [
  'Content-Length: 0',
  'Content-Length: 1',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: +12',
  'Content-Length: 0x0c',
  'Content-Length: 12, 12',
  'Content-Length: 99999999999999999999',
  'Content-Length: 300000',
  'Content-Length: 12 ',
  'Content-Length:',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  ' folded',
  '\tfolded: yes',
  ': nameless',
  'no colon',
  'X-Null: a\0b',
  'X-Bare: a\rb',
  'X-High: \u00ff\u0080',
  'Connection: close',
  'Connection: upgrade',
  'Connection: X-API-Key',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAAQAAP__',
  'Expect: 100-continue',
  'Expect: 200-maybe',
  'Host: other.example',
  'Host: a, b',
  'X-API-Key: svc_sk_live_nothing',
  'Content-Type: text/plain',
  'Content-Encoding: br',
  'Trailer: Content-Length',
  'X-HTTP-Method-Override: DELETE',
  'Range: bytes=0-1,5-',
  `X-Big: ${'x'.repeat(9000)}`,
  `X-Many: y\r\n${Array.from({ length: 300 }, (_, index) => `X-${index}: y`).join('\r\n')}`,
];

const REPLACEMENTS = [
  ['\r\n', '\n'],
  ['\r\n', '\r'],
  ['\r\n\r\n', '\r\n\r\n\r\n'],
  ['HTTP/1.1', 'HTTP/1.0'],
  ['HTTP/1.1', 'HTTP/2.0'],
  ['HTTP/1.1', 'HTTP/0.9'],
  ['HTTP/1.1', 'HTTP/1.1 '],
  ['HTTP/1.1', ''],
  [' /', ' //'],
  [' /', ' /..'],
  [' /', ' /%2e%2e/'],
  [' /', ' \\'],
  [' /external', ' external'],
  [' /external', ' http://[::1/external'],
  [' /external', ' http://user@/external'],
  [' /external', ' /external\u00e9'],
  [' /external', ' /external%ff'],
  ['?', '?\0'],
  ['GET', 'get'],
  ['GET', 'CONNECT'],
  ['GET', 'PRI'],
  ['POST', 'TRACE'],
  ['POST', 'M-SEARCH'],
  ['PATCH', 'P\u0000TCH'],
  ['8\r\n', '-8\r\n'],
  ['8\r\n', '8;x=y\r\n'],
  ['8\r\n', 'ffffffffffffffff\r\n'],
  ['8\r\n', '7\r\n'],
  ['8\r\n', '9\r\n'],
  ['8\r\n', '0x8\r\n'],
  ['8\r\n', '\r\n'],
  ['0\r\n', ''],
  ['0\r\n', '0\r\nContent-Length: 3\r\n'],
] as const;

const permille = fc.nat(999);
const mutationArbitrary: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ type: fc.constant('flip' as const), at: permille, bit: fc.nat(7) }),
  fc.record({
    type: fc.constant('insert' as const),
    at: permille,
    bytes: fc.oneof(
      fc.constantFrom('\0', '\r', '\n', '\r\n', '\r\n\r\n', ' ', ':', '\u00ff', '%', '"'),
      fc.string({ maxLength: 5 }),
    ),
  }),
  fc.record({ type: fc.constant('cut' as const), at: permille, length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ type: fc.constant('repeat' as const), at: permille, length: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ type: fc.constant('double' as const), line: fc.nat(6) }),
  fc.record({ type: fc.constant('swap' as const), line: fc.nat(6) }),
  fc.record({ type: fc.constant('header' as const), line: fc.constantFrom(...HEADERS) }),
  fc.constantFrom(...REPLACEMENTS).map(([from, to]) => ({ type: 'replace' as const, from, to })),
);

function applyMutation(bytes: Buffer, mutation: Mutation): Buffer {
  const offset = (thousandth: number) => Math.floor((bytes.length * thousandth) / 1000);
  const splice = (from: number, length: number, inserted: Buffer) =>
    Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(from + length)]);
  const lines = bytes.toString('latin1').split('\r\n');
  const joined = () => Buffer.from(lines.join('\r\n'), 'latin1');
  switch (mutation.type) {
    case 'flip':
      return splice(offset(mutation.at), 1, Buffer.from([(bytes[offset(mutation.at)] ?? 0) ^ (1 << mutation.bit)]));
    case 'insert':
      return splice(offset(mutation.at), 0, Buffer.from(mutation.bytes, 'latin1'));
    case 'cut':
      return splice(offset(mutation.at), mutation.length, Buffer.alloc(0));
    case 'repeat':
      return splice(offset(mutation.at), 0, bytes.subarray(offset(mutation.at), offset(mutation.at) + mutation.length));
    case 'double':
      lines.splice(mutation.line, 0, lines[mutation.line] ?? '');
      return joined();
    case 'swap':
      lines.splice(mutation.line, 2, lines[mutation.line + 1] ?? '', lines[mutation.line] ?? '');
      return joined();
    case 'header':
      lines.splice(1, 0, mutation.line);
      return joined();
    case 'replace':
    default:
      return Buffer.from(bytes.toString('latin1').replace(mutation.from, mutation.to), 'latin1');
  }
}

/** Data of one connection: pipelined requests, written in pieces, complete or aborted. */
interface Connection {
  requests: { name: RequestName; mutations: Mutation[] }[];
  splitPoints: number[];
  /** Ends with a request that closes the connection, or within a request: the socket then stays open or is destroyed. */
  ending: 'closed' | 'open' | 'destroyed';
}

const connectionArbitrary: fc.Arbitrary<Connection> = fc.record({
  requests: fc.array(
    fc.record({ name: fc.constantFrom(...REQUEST_NAMES), mutations: fc.array(mutationArbitrary, { maxLength: 2 }) }),
    { minLength: 1, maxLength: 3 },
  ),
  splitPoints: fc.array(permille, { maxLength: 3 }),
  ending: fc.oneof(
    { weight: 8, arbitrary: fc.constant('closed' as const) },
    { weight: 1, arbitrary: fc.constantFrom('open' as const, 'destroyed' as const) },
  ),
});

/** Time without data after which the client ends the connection. */
const IDLE_TIMEOUT_MS = 3000;
/** Maximum time until the service then closes the connection, long enough for a slow machine. */
const CLOSE_TIMEOUT_MS = 30_000;

interface ReceivedData {
  statuses: number[];
  text: string;
  /** True if the service closed the connection after the last response. */
  isComplete: boolean;
}

const CLOSING_REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** Sockets with an incomplete request, which the service must tolerate. */
const openSockets = new Set<Socket>();
const MAX_OPEN_SOCKETS = 100;

async function exchange(port: number, bytes: Buffer, { splitPoints, ending }: Connection): Promise<ReceivedData> {
  const sent =
    ending === 'closed' ? Buffer.concat([bytes, Buffer.from(CLOSING_REQUEST)]) : bytes.subarray(0, bytes.length - 1);
  const pieceEnds = [
    ...splitPoints.map((part) => Math.floor((sent.length * part) / 1000)).toSorted((one, other) => one - other),
    sent.length,
  ];
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let text = '';
  let isComplete = true;
  socket.setTimeout(IDLE_TIMEOUT_MS, () => {
    if (!isComplete) return;
    isComplete = false;
    socket.end();
    setTimeout(() => resolve(false), CLOSE_TIMEOUT_MS).unref();
  });
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('end', () => socket.end());
  socket.on('error', () => {
    isComplete = false; // The service reset the connection. Responses may be lost.
  });
  socket.on('close', () => resolve(true));
  let start = 0;
  for (const end of pieceEnds) {
    socket.write(sent.subarray(start, end));
    start = end;
    await new Promise(setImmediate);
  }
  if (ending === 'destroyed') socket.destroy();
  if (ending === 'open') {
    socket.setTimeout(0);
    openSockets.add(socket);
    const [oldest] = openSockets;
    if (openSockets.size > MAX_OPEN_SOCKETS && oldest !== undefined && openSockets.delete(oldest)) oldest.destroy();
    return { statuses: [], text: '', isComplete: false };
  }
  const isClosed = await promise;
  socket.destroy();
  if (!isClosed)
    throw new Finding(
      'no response',
      `${CLOSE_TIMEOUT_MS} ms after the end of the data: ${JSON.stringify(sent.toString('latin1'))}`,
    );
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  return { statuses, text, isComplete: isComplete && ending === 'closed' };
}

/** True if a response is 5xx, except that of a service which is busy, and that to a transfer coding which nobody undoes. */
const hasServerError = (text: string) =>
  text
    .split('HTTP/1.1 ')
    .some(
      (response) => /^5\d\d /.test(response) && !/^503 [^]*\bretry-after:|^501 [^]*Transfer-Encoding:/i.test(response),
    );

/** Checks that the service is ready for other clients. */
async function requireReady(service: Service): Promise<void> {
  const { status, text } = await sendRequest(service, { method: 'GET', path: '/readyz' });
  if (status !== 200) throw new Finding('no response', `/readyz: ${status} ${text}`);
}

async function runCase(connections: readonly Connection[], { company, oracle, existing }: TestFixture): Promise<void> {
  const { service } = oracle;
  const host = `127.0.0.1:${service.port}`;
  const sent = connections.map(({ requests, ending }) => {
    // Otherwise sends the first request unmodified, without its last byte: it is incomplete and must change nothing.
    const sentRequests =
      ending === 'closed' ? requests : requests.slice(0, 1).map(({ name }) => ({ name, mutations: [] }));
    return Buffer.concat(
      sentRequests.map(({ name, mutations }) =>
        mutations.reduce(applyMutation, requestBytes(name, company, existing, host)),
      ),
    );
  });
  const received = await Promise.all(
    connections.map((connection, index) => exchange(service.port, sent[index] ?? Buffer.alloc(0), connection)),
  );
  await requireReady(service);
  let accepted = 0;
  for (const [index, { statuses, text, isComplete }] of received.entries()) {
    const description = `${JSON.stringify(sent[index]?.toString('latin1'))} got ${JSON.stringify(text.slice(0, 3000))}`;
    if (hasServerError(text)) throw new Finding('5xx', description);
    requireNoForeignMarkers(text, company);
    const { requests = [], ending } = connections[index] ?? {};
    if (ending !== 'closed') continue;
    // A batch may have two calls. After a lost connection, any of the requests may have been accepted.
    accepted += isComplete
      ? statuses.filter((status) => status < 300 && status !== 100).length * 2
      : requests.length * 4;
  }
  const descriptions = sent.map(
    (bytes, index) => `${JSON.stringify(bytes.toString('latin1'))}: ${received[index]?.statuses.join()}`,
  );
  await oracle.checkState({ company, key: company.keys.full }, accepted, descriptions.join('\n'));
}

/** Cases per pair of companies. */
const CASES_PER_COMPANY = 15;

/** Sends malformed bytes: flipped bits, duplicated lines, wrong lengths, pipelined and aborted requests. */
export const wireSuite: Suite = {
  name: 'wire',
  timeShare: 2,
  async run(service, budget) {
    const arbitrary = fc.array(connectionArbitrary, { minLength: 1, maxLength: 8 });
    const caseCount = await checkWithFixtures(service, budget, CASES_PER_COMPANY, arbitrary, runCase);
    for (const socket of openSockets) socket.destroy();
    openSockets.clear();
    return caseCount;
  },
};
