import { connect } from 'node:net';
import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { sendRequest } from '../service/http-client.ts';
import type { Company } from '../service/companies.ts';
import { createFixture } from './document.ts';
import type { ExistingIds, TestFixture } from './document.ts';
import { Finding } from '../runner/finding.ts';
import { requireNoForeignMarkers } from '../runner/oracle.ts';
import type { Service } from '../service/service.ts';
import { checkProperty } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

/** Requests of which each is right as it stands. */
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

/** What is done to the bytes of a request. Places are parts of a thousand of its length. */
type Mutation =
  | { do: 'flip'; at: number; bit: number }
  | { do: 'insert'; at: number; bytes: string }
  | { do: 'cut'; at: number; length: number }
  | { do: 'repeat'; at: number; length: number }
  | { do: 'double'; line: number }
  | { do: 'swap'; line: number }
  | { do: 'header'; line: string }
  | { do: 'replace'; from: string; to: string };

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
  fc.record({ do: fc.constant('flip' as const), at: permille, bit: fc.nat(7) }),
  fc.record({
    do: fc.constant('insert' as const),
    at: permille,
    bytes: fc.oneof(
      fc.constantFrom('\0', '\r', '\n', '\r\n', '\r\n\r\n', ' ', ':', '\u00ff', '%', '"'),
      fc.string({ maxLength: 5 }),
    ),
  }),
  fc.record({ do: fc.constant('cut' as const), at: permille, length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant('repeat' as const), at: permille, length: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ do: fc.constant('double' as const), line: fc.nat(6) }),
  fc.record({ do: fc.constant('swap' as const), line: fc.nat(6) }),
  fc.record({ do: fc.constant('header' as const), line: fc.constantFrom(...HEADERS) }),
  fc.constantFrom(...REPLACEMENTS).map(([from, to]) => ({ do: 'replace' as const, from, to })),
);

function applyMutation(bytes: Buffer, change: Mutation): Buffer {
  const at = (thousandth: number) => Math.floor((bytes.length * thousandth) / 1000);
  const spliced = (from: number, length: number, put: Buffer) =>
    Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + length)]);
  const lines = bytes.toString('latin1').split('\r\n');
  const joined = () => Buffer.from(lines.join('\r\n'), 'latin1');
  switch (change.do) {
    case 'flip':
      return spliced(at(change.at), 1, Buffer.from([(bytes[at(change.at)] ?? 0) ^ (1 << change.bit)]));
    case 'insert':
      return spliced(at(change.at), 0, Buffer.from(change.bytes, 'latin1'));
    case 'cut':
      return spliced(at(change.at), change.length, Buffer.alloc(0));
    case 'repeat':
      return spliced(at(change.at), 0, bytes.subarray(at(change.at), at(change.at) + change.length));
    case 'double':
      lines.splice(change.line, 0, lines[change.line] ?? '');
      return joined();
    case 'swap':
      lines.splice(change.line, 2, lines[change.line + 1] ?? '', lines[change.line] ?? '');
      return joined();
    case 'header':
      lines.splice(1, 0, change.line);
      return joined();
    case 'replace':
    default:
      return Buffer.from(bytes.toString('latin1').replace(change.from, change.to), 'latin1');
  }
}

/** What one connection sends: requests one after another without waiting, in pieces, whole or broken off. */
interface Connection {
  requests: { name: RequestName; mutations: Mutation[] }[];
  splitPoints: number[];
  /** How it ends: with a request that closes it; in the middle, which is left so; in the middle, and cut. */
  ending: 'closed' | 'left' | 'cut';
}

const connectionArbitrary: fc.Arbitrary<Connection> = fc.record({
  requests: fc.array(
    fc.record({ name: fc.constantFrom(...REQUEST_NAMES), mutations: fc.array(mutationArbitrary, { maxLength: 2 }) }),
    { minLength: 1, maxLength: 3 },
  ),
  splitPoints: fc.array(permille, { maxLength: 3 }),
  ending: fc.oneof(
    { weight: 8, arbitrary: fc.constant('closed' as const) },
    { weight: 1, arbitrary: fc.constantFrom('left' as const, 'cut' as const) },
  ),
});

/** Milliseconds without a byte after which a connection that is not closed is given up by its client. */
const IDLE_TIMEOUT_MS = 3000;
/** Milliseconds in which the service then closes it, where everything is slow. */
const CLOSE_TIMEOUT_MS = 30_000;

interface ReceivedData {
  statuses: number[];
  text: string;
  /** Whether the service closed it, having answered whatever it took for a request. */
  isComplete: boolean;
}

const CLOSING_REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** Those left in the middle, which the service must bear. */
const openSockets = new Set<Socket>();
const MAX_OPEN_SOCKETS = 100;

async function exchange(
  port: number,
  bytes: Buffer,
  { splitPoints: pieces, ending: end }: Connection,
): Promise<ReceivedData> {
  const sent =
    end === 'closed' ? Buffer.concat([bytes, Buffer.from(CLOSING_REQUEST)]) : bytes.subarray(0, bytes.length - 1);
  const ends = [
    ...pieces.map((part) => Math.floor((sent.length * part) / 1000)).toSorted((one, other) => one - other),
    sent.length,
  ];
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let text = '';
  let isWhole = true;
  socket.setTimeout(IDLE_TIMEOUT_MS, () => {
    if (!isWhole) return;
    isWhole = false;
    socket.end();
    setTimeout(() => resolve(false), CLOSE_TIMEOUT_MS).unref();
  });
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('end', () => socket.end());
  socket.on('error', () => {
    isWhole = false; // cut by the service, with answers perhaps on their way
  });
  socket.on('close', () => resolve(true));
  let start = 0;
  for (const until of ends) {
    socket.write(sent.subarray(start, until));
    start = until;
    await new Promise(setImmediate);
  }
  if (end === 'cut') socket.destroy();
  if (end === 'left') {
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
      `${CLOSE_TIMEOUT_MS} ms after its end: ${JSON.stringify(sent.toString('latin1'))}`,
    );
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  return { statuses, text, isComplete: isWhole && end === 'closed' };
}

/** Whoever else asks is answered. */
async function requireReady(service: Service): Promise<void> {
  const answer = await sendRequest(service, { method: 'GET', path: '/readyz' });
  if (answer.status !== 200) throw new Finding('no response', `/readyz: ${answer.status} ${answer.text}`);
}

async function runCase(
  connections: readonly Connection[],
  { company, oracle, existing: known }: TestFixture,
): Promise<void> {
  const { service } = oracle;
  const host = `127.0.0.1:${service.port}`;
  const sent = connections.map(({ requests, ending: end }) => {
    // What is left in the middle is no request, and so nothing that it would change may change.
    const whole = end === 'closed' ? requests : requests.slice(0, 1).map(({ name }) => ({ name, mutations: [] }));
    return Buffer.concat(
      whole.map(({ name, mutations }) => mutations.reduce(applyMutation, requestBytes(name, company, known, host))),
    );
  });
  const heard = await Promise.all(
    connections.map((one, index) => exchange(service.port, sent[index] ?? Buffer.alloc(0), one)),
  );
  await requireReady(service);
  let accepted = 0;
  for (const [index, { statuses, text, isComplete: isWhole }] of heard.entries()) {
    const what = `${JSON.stringify(sent[index]?.toString('latin1'))} is answered ${JSON.stringify(text.slice(0, 3000))}`;
    if (statuses.some((status) => status >= 500)) throw new Finding('5xx', what);
    requireNoForeignMarkers(text, company);
    const { requests = [], ending: end } = connections[index] ?? {};
    if (end !== 'closed') continue;
    // Where the client gave up, it cannot know what was accepted. A batch may hold two calls.
    accepted += isWhole ? statuses.filter((status) => status < 300 && status !== 100).length * 2 : requests.length * 4;
  }
  const all = sent.map(
    (bytes, index) => `${JSON.stringify(bytes.toString('latin1'))}: ${heard[index]?.statuses.join()}`,
  );
  await oracle.checkState({ company, key: company.keys.full }, accepted, all.join('\n'));
}

/** Cases for which companies serve: what they own stays little. */
const CASES_PER_COMPANY = 15;

/** Bytes that no client would send: flipped, doubled, lying, pipelined, broken off. */
export const wireSuite: Suite = {
  name: 'wire',
  timeShare: 2,
  async run(service, budget) {
    let setting: TestFixture | undefined;
    let count = 0;
    const done = await checkProperty(
      fc.array(connectionArbitrary, { minLength: 1, maxLength: 8 }),
      async (connections) => {
        if (setting === undefined || (count += 1) % CASES_PER_COMPANY === 0) {
          setting?.oracle.release();
          setting = await createFixture(service);
        }
        await runCase(connections, setting);
      },
      budget,
    );
    for (const socket of openSockets) socket.destroy();
    openSockets.clear();
    return done;
  },
};
