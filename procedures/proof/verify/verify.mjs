#!/usr/bin/env node
// Verifies a proof: node verify.mjs proof.zip [--key FILE]... [--checkpoint FILE]
// It needs Node 20 or later, no packages and no network. docs/proof.md of the product has the format.
// Browsers run it too: only the command, at the end, uses modules of Node.

/** The proof does not hold. The message is one line that names the first wrong file or sequence. */
export class ProofError extends Error {
  name = 'ProofError';
}

const OPERATOR = '00000000-0000-7000-8000-000000000001';
/** Registers, in the order in which they are checked, with the type of their resources. */
const REGISTERS = {
  ...{ frameworks: 'framework', departments: 'department', gaps: 'gap', vendors: 'vendor', tasks: 'task' },
  ...{ comments: 'comment', evidence: 'evidence', keys: 'apiKey' },
};
const LISTED = [
  ...['README.txt', 'report.html', 'tasks.csv', 'vendors.csv', 'members.ndjson', 'events.ndjson', 'fields.json'],
  ...['signing-key.pem', 'verify.mjs', ...Object.keys(REGISTERS).map((register) => `${register}.ndjson`)],
];
const UNLISTED = ['manifest.json', 'manifest.sig', 'manifest.tsr'];
const MANIFEST_KEYS = 'product,company,from,asOf,frameworks,evidence,createdAt,head,files,missing';
/** The DER of an Ed25519 key, and the TSTInfo of a timestamp with the SHA-256 and the time in it, in hexadecimal. */
const SPKI = /^302a300506032b6570032100([0-9a-f]{64})$/;
const TSTINFO =
  /060b2a864886f70d0109100104(?:..)*?0609608648016503040201(?:0500)?0420([0-9a-f]{64})(?:..)*?18(?:0f|1[0-9])((?:3.)+)/;
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
/** Size of a read, and the most that is read as a whole: of a line, of a file. */
const [CHUNK, MAX_LINE, MAX_WHOLE] = [2 ** 18, 2 ** 24, 2 ** 28];

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const latin1 = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
const base64url = (bytes) => btoa(latin1(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
const utf8 = (text) => new TextEncoder().encode(text);
const utf8Decoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const keysOf = (value) => (typeof value === 'object' && value !== null ? Object.keys(value).toSorted().join() : '');
const printable = (text) => text.replaceAll(/\p{C}/gu, '?').slice(0, 300);
const isFullRow = (action) => /\.(create|delete)$/.test(action);

function check(holds, message) {
  if (!holds) throw new Error(message);
}

/** Runs a check. An error that it throws gets the place, and so does one of a value that has not the expected form. */
async function at(place, action) {
  try {
    return await action();
  } catch (error) {
    throw error instanceof ProofError ? error : new ProofError(printable(`${place}: ${error.message}`));
  }
}

/** Reads little-endian numbers of these widths in bytes. */
function numbers(bytes, start, widths) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const read = { 2: (offset) => view.getUint16(offset, true), 4: (offset) => view.getUint32(offset, true) };
  const readers = { ...read, 8: (offset) => Number(view.getBigUint64(offset, true)) };
  let position = start;
  return widths.map((width) => readers[width]((position += width) - width));
}

/** Opens the ZIP: compares its two directories. Each byte must belong to a file or to a directory. */
async function openZip({ source, platform, progress }) {
  const entries = new Map();
  let bytesRead = 0;
  const read = async (start, end) => {
    check(start >= 0 && start <= end && end <= source.size, 'a position is outside of the file');
    const bytes = await source.read(start, end);
    check(bytes.length === end - start, 'the file is shorter than its size');
    return bytes;
  };

  /** The records at the end, which must be the last bytes. */
  async function readEnd() {
    const end = source.size - 22;
    const [signature, disks, here, ...short] = numbers(await read(end, end + 22), 0, [4, 4, 2, 2, 4, 4, 2]);
    const isEnd = signature === 0x06054b50 && disks === 0 && here === short[0] && short[3] === 0;
    check(isEnd, 'expected the end of the central directory as its last bytes');
    const limits = [0xffff, 0xffffffff, 0xffffffff];
    if (limits.every((limit, index) => short[index] < limit)) return [...short.slice(0, 3), end];
    const widths = [4, 8, 4, 8, 8, 8, 8, 8, 4, 4, 8, 4];
    const [record, length, , wideDisks, wideHere, ...wide] = numbers(await read(end - 76, end), 0, widths);
    const isRecord = record === 0x06064b50 && length === 44 && wideDisks === 0 && wideHere === wide[0];
    const isLocator = `${wide.slice(3)}` === `${[0x07064b50, 0, end - 76, 1]}`;
    const agrees = limits.every((limit, index) => short[index] === limit || short[index] === wide[index]);
    check(isRecord && isLocator && agrees, 'the Zip64 records at its end are wrong');
    return [...wide.slice(0, 3), end - 76];
  }

  async function readHeader({ name, flags, method, time, crc, compressed, size, isWide, offset }) {
    const start = offset + 30 + name.length;
    const bytes = await read(offset, start);
    const [signature, , ...header] = numbers(bytes, 0, [4, 2, 2, 2, 4, 4, 4, 4, 2, 2]);
    const sizes = flags & 8 ? [0, 0, 0] : [crc, compressed, size];
    const agrees = `${header}` === `${[flags, method, time, ...sizes, name.length, 0]}`;
    check(signature === 0x04034b50 && agrees && latin1(bytes.subarray(30)) === name, 'the two directories disagree');
    entries.get(name).start = start;
    const end = start + compressed;
    if (!(flags & 8)) return end;
    const next = end + (isWide ? 24 : 16);
    const descriptor = numbers(await read(end, next), 0, isWide ? [4, 4, 8, 8] : [4, 4, 4, 4]);
    check(`${descriptor}` === `${[0x08074b50, crc, compressed, size]}`, 'the two directories disagree');
    return next;
  }

  const start = await at('ZIP', async () => {
    const [count, length, offset, end] = await readEnd();
    check(length <= MAX_WHOLE && offset + length === end, 'the central directory does not end where its end record is');
    const bytes = await read(offset, end);
    let next = 0;
    for (let index = 0; index < count; index += 1) {
      const widths = [4, 4, 2, 2, 4, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4];
      const [signature, , flags, method, time, crc, compressed, size, nameLength, extraLength, comment, ...rest] =
        numbers(bytes, next, widths);
      const name = latin1(bytes.subarray(next + 46, next + 46 + nameLength));
      next += 46 + nameLength + extraLength;
      check(signature === 0x02014b50 && next <= length, 'the central directory is wrong');
      const isKnown = LISTED.includes(name) || UNLISTED.includes(name) || /^files\/[0-9a-f]{64}$/.test(name);
      await at(name, () => check(isKnown, 'a proof has no file of this name'));
      await at(name, () => check(!entries.has(name), 'the ZIP has it twice'));
      const entry = { name, flags, method, time, crc, compressed, size, offset: rest[3], isWide: extraLength >= 28 };
      if (entry.isWide) [entry.size, entry.compressed, entry.offset] = numbers(bytes, next - 24, [8, 8, 8]);
      const hasExtra = /^(?:UT\x05\0.{5})?(?:\x01\0\x18\0.{24})?$/s.test(
        latin1(bytes.subarray(next - extraLength, next)),
      );
      const isFile = (flags | 8) === 0x808 && comment === 0 && rest[0] === 0 && [0, 8].includes(rest[2] >>> 28);
      const hasMethod = method === 8 || (method === 0 && entry.size === entry.compressed);
      await at(name, () => check(hasExtra && isFile && hasMethod, 'it is not a plain file'));
      entries.set(name, entry);
    }
    check(next === length, 'the central directory has bytes of no entry');
    return offset;
  });
  let position = 0;
  for (const entry of [...entries.values()].toSorted((a, b) => a.offset - b.offset)) {
    await at(entry.name, () => check(entry.offset === position, 'other bytes are before it or in its place'));
    position = await at(entry.name, () => readHeader(entry));
  }
  await at('ZIP', () => check(position === start, 'bytes before the central directory belong to no file'));
  for (const name of [...LISTED, ...UNLISTED.slice(0, 2)])
    await at(name, () => check(entries.has(name), 'the ZIP lacks it'));
  const events = entries.get('events.ndjson').compressed; // read twice
  const total = [...entries.values()].reduce((sum, { compressed }) => sum + compressed, events);

  async function* stored(entry) {
    for (let from = entry.start; from < entry.start + entry.compressed; from += CHUNK) {
      const bytes = await read(from, Math.min(from + CHUNK, entry.start + entry.compressed));
      progress?.(Math.min((bytesRead += bytes.length), total), total);
      yield bytes;
    }
  }

  /** Yields the bytes of a file, and stops at the first one beyond its size. */
  async function* content(name) {
    const entry = entries.get(name);
    let size = 0;
    for await (const bytes of entry.method === 0 ? stored(entry) : platform.inflate(stored(entry))) {
      size += bytes.length;
      check(size <= entry.size, 'it is longer than its size in the ZIP');
      yield bytes;
    }
    check(size === entry.size, 'it is shorter than its size in the ZIP');
  }

  async function whole(name) {
    check(entries.get(name).size <= MAX_WHOLE, 'it is too long');
    const parts = [];
    for await (const part of content(name)) parts.push(part);
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  /** Calls `each` with each line as an object. A line is as `JSON.stringify` writes it: no key is there twice. */
  async function lines(name, each, placeOf = (number) => `line ${number}`) {
    const decoder = utf8Decoder();
    let [rest, number] = ['', 0];
    for await (const bytes of content(name)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = parts.pop();
      check(rest.length <= MAX_LINE, 'a line is too long');
      for (const line of parts) {
        number += 1;
        await at(`${name}: ${placeOf(number)}`, () => {
          const value = JSON.parse(line);
          check(
            keysOf(value) !== '' && JSON.stringify(value) === line,
            'expected an object as JSON.stringify writes it',
          );
          return each(value, number);
        });
      }
    }
    check(rest + decoder.decode() === '', 'expected a line feed at its end');
    return number;
  }
  return { entries, content, whole, lines };
}

/** A user whom a value must show as `{uniqueId, name, kind}`, with the name of a sequence; in a register with that at `asOf`. */
class Person {
  constructor(users, id, sequence, kind) {
    Object.assign(this, { users, id, sequence, kind });
  }

  isShownAs(shown) {
    const { kind = this.kind, names } = this.users.get(this.id) ?? {};
    const hasKind = (this.kind ?? kind ?? shown?.kind) === shown?.kind;
    if (keysOf(shown) !== 'kind,name,uniqueId' || shown.uniqueId !== this.id || !hasKind) return false;
    if (names?.length === 0) return shown.name === 'Former member' || shown.name === this.id;
    const holds = (name) => (this.sequence === undefined ? !name.isLate : name.sequence <= this.sequence);
    return names === undefined || shown.name === (names.findLast(holds) ?? names[0]).name;
  }
}

/** Compares a value that the chain gives with one that is shown. The order of keys does not matter. */
function isSame(expected, shown) {
  if (expected === shown) return true;
  if (expected instanceof Person) return expected.isShownAs(shown);
  if (typeof expected !== 'object' || typeof shown !== 'object' || expected === null || shown === null) return false;
  const keys = Object.keys(expected);
  if (Array.isArray(expected) !== Array.isArray(shown) || keys.length !== Object.keys(shown).length) return false;
  return keys.every((key) => Object.hasOwn(shown, key) && isSame(expected[key], shown[key]));
}

/** Verifies a proof, and returns what it holds. `verify.d.mts` has the types. */
export async function verifyProof(source, platform, { keys = [], checkpoint: checkpointText, progress } = {}) {
  const zip = await openZip({ source, platform, progress });
  const digest = (...parts) => {
    const hash = platform.sha256();
    for (const part of parts) hash.update(part);
    return hash.digest();
  };

  /** Public keys of a PEM or of a JWK set, by fingerprint: the thumbprint of RFC 7638. */
  function publicKeys(text) {
    const pem = /^-----BEGIN PUBLIC KEY-----\n([\w+/=\n]+)-----END PUBLIC KEY-----\n?$/.exec(text);
    const [, point] = SPKI.exec(pem === null ? '' : hex(fromBase64(pem[1]))) ?? [];
    check(pem === null || point !== undefined, 'expected an Ed25519 key');
    const points = pem === null ? JSON.parse(text).keys.map(({ x }) => fromBase64(x)) : [fromHex(point)];
    const thumbprint = (x) => base64url(digest(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${base64url(x)}"}`)));
    return new Map(points.map((x) => [thumbprint(x), x]));
  }

  // The manifest, and the files that it lists
  const given = await at('--key', () => new Map(keys.flatMap((text) => [...publicKeys(text)])));
  const own = await at('signing-key.pem', async () => publicKeys(latin1(await zip.whole('signing-key.pem'))));
  const [[fingerprint, key]] = own;
  const isGiven = given.size === 0 || given.has(fingerprint);
  await at('signing-key.pem', () => check(isGiven, `${fingerprint} is none of the given keys`));
  const signature = await at('manifest.sig', () => zip.whole('manifest.sig'));
  const manifest = await at('manifest.json', async () => {
    const bytes = await zip.whole('manifest.json');
    check(await platform.verify(key, signature, bytes), 'the signature does not match');
    const text = utf8Decoder().decode(bytes);
    const value = JSON.parse(text);
    const isCanonical = `${JSON.stringify(value, null, 2)}\n` === text;
    check(isCanonical && `${Object.keys(value)}` === MANIFEST_KEYS, 'expected the keys of a manifest');
    return { ...value, digest: hex(digest(bytes)) };
  });
  const { from, asOf, company, head, frameworks, evidence } = manifest;
  const listed = new Map();
  for (const { path, size, sha256 } of manifest.files)
    await at(path, async () => {
      check(zip.entries.has(path) && !UNLISTED.includes(path), 'the manifest lists it, and the ZIP lacks it');
      check(!listed.has(path), 'the manifest lists it twice');
      listed.set(path, { size, sha256 });
      check(size === zip.entries.get(path).size, 'its size differs from the manifest');
      const hash = platform.sha256();
      for await (const bytes of zip.content(path)) hash.update(bytes);
      check(hex(hash.digest()) === sha256, 'its SHA-256 differs from the manifest');
    });
  for (const name of zip.entries.keys())
    await at(name, () => check(listed.has(name) || UNLISTED.includes(name), 'the manifest does not list it'));
  const timestamp = await at('manifest.tsr', async () => {
    if (!zip.entries.has('manifest.tsr')) return null;
    const [, imprint, time] = TSTINFO.exec(hex(await zip.whole('manifest.tsr'))) ?? [];
    check(imprint === manifest.digest, 'it is not a timestamp of manifest.json');
    return latin1(fromHex(time)).replace(/^(....)(..)(..)(..)(..)(..).*$/, '$1-$2-$3T$4:$5:$6Z');
  });
  const fields = await at('fields.json', async () => JSON.parse(utf8Decoder().decode(await zip.whole('fields.json'))));
  const types = new Map(Object.entries(fields.types));
  const checkpoint = await at('--checkpoint', () =>
    checkpointText === undefined ? undefined : JSON.parse(checkpointText),
  );

  // The members
  const users = new Map([[OPERATOR, { kind: 'human', names: [{ sequence: 0, name: 'Operator' }] }]]);
  const members = [];
  await at('members.ndjson', () =>
    zip.lines('members.ndjson', (row) => {
      check(keysOf(row) === 'createdAt,endedAt,frameworks,identities,kind,name,role,uniqueId', 'its keys are wrong');
      check(members.length === 0 || members.at(-1).uniqueId < row.uniqueId, 'it is not in the order of uniqueId');
      const isAscending = row.identities.every(
        ({ sequence }, index, all) => index === 0 || sequence > all[index - 1].sequence,
      );
      check(
        isAscending && !(row.identities.at(-1)?.sequence > head.sequence),
        'its identities are not those up to the head',
      );
      members.push(row);
      users.set(row.uniqueId, {
        kind: 'human',
        names: row.identities.map(({ sequence, name }) => ({ sequence, name })),
      });
    }),
  );

  // The events: the chain, then each event as it is shown, then the states at `asOf`
  const states = new Map();
  const identities = new Map();
  const joined = new Set();
  const userOfKey = new Map();
  let [first, last, found] = [];

  const shownValue = (kind, value, ...when) => {
    if (value === null || kind === 'plain') return value;
    if (kind === 'people') return value.map((id) => new Person(users, id, ...when));
    return kind === 'time' ? new Date(value).toISOString() : new Person(users, value, ...when);
  };

  /** The fields of a full row, or of the changes of one, as they are shown. */
  function shownFields(type, values, isFull, sequence) {
    const { columns, derived } = types.get(type) ?? { columns: {}, derived: [] };
    const shown = {};
    for (const [column, value] of Object.entries(values)) {
      check(Object.hasOwn(columns, column), `fields.json lacks ${column} of ${type}`);
      const { field, kind } = columns[column];
      const one = (stored) => shownValue(kind, stored, sequence);
      if (field !== null) shown[field] = isFull ? one(value) : { from: one(value.from), to: one(value.to) };
    }
    for (const { field, of, equals } of isFull ? derived : []) shown[field] = shown[of] === equals;
    return shown;
  }

  function shownEvent({ sequence, occurredAt, row, changes }) {
    const shown = { sequence, deleted: row.action.endsWith('.delete') };
    const values = { ...row, occurred_at: occurredAt, changes };
    for (const column of Object.keys(values)) check(Object.hasOwn(fields.event, column), `fields.json lacks ${column}`);
    for (const [column, { field, kind }] of Object.entries(fields.event)) {
      if (field === null || column === 'user_kind') continue;
      const value = shownValue(kind, values[column] ?? null, sequence, row.user_kind);
      const [name, part] = field.split('.');
      if (part === undefined) shown[name] = value;
      else shown[name] = value === null ? (shown[name] ?? null) : { ...shown[name], [part]: value };
    }
    return { ...shown, changes: shownFields(row.resource_type, changes, isFullRow(row.action), sequence) };
  }

  /** Records what an event says about users. */
  function learn({ sequence, isLate, row: { action, resource_type: type, resource_id: id }, changes }) {
    const isCreate = action.endsWith('.create');
    const changed = (column) => (isCreate ? changes[column] : changes[column]?.to);
    const user =
      type === 'member' ? id : (userOfKey.get(id) ?? (isCreate && type === 'apiKey' ? changes.user_id : undefined));
    if (user === undefined) return;
    if (!users.has(user)) users.set(user, type === 'member' ? {} : { names: [] });
    if (isCreate) users.get(user).kind = type === 'member' ? 'human' : 'integration';
    if (type === 'member' && isCreate && !isLate) joined.add(id);
    if (type === 'member' && typeof changed('identity') === 'string')
      identities.set(sequence, { id, isLate, digest: changed('identity') });
    if (type === 'apiKey') userOfKey.set(id, user);
    if (type === 'apiKey' && changed('name') !== undefined)
      users.get(user).names.push({ sequence, name: changed('name'), isLate });
  }

  /** Applies an event to its resource. An event after `asOf` waits for one in the chain that is not. */
  function apply(event) {
    const { resource_type: type, resource_id: id } = event.row;
    if (from !== null || (type !== 'member' && !Object.values(REGISTERS).includes(type))) return;
    if (!states.has(type)) states.set(type, new Map());
    const state = states.get(type).get(id) ?? { waiting: [] };
    states.get(type).set(id, state);
    state.waiting.push(event);
    for (const { occurredAt, row, changes } of event.isLate ? [] : state.waiting.splice(0)) {
      const isCreate = row.action.endsWith('.create');
      const to = Object.entries(changes).map(([column, change]) => [column, change?.to]);
      state.values = isFullRow(row.action) ? changes : { ...state.values, ...Object.fromEntries(to) };
      state.isThere = isFullRow(row.action) ? isCreate : state.isThere;
      state.version = isCreate ? changes.version : state.version + 1;
      Object.assign(state, { by: row.user_id, kind: row.user_kind, occurredAt });
    }
  }

  function readEvent({ sequence, hash, sealed, event, inPeriod, ...others }) {
    check(sequence === last.sequence + 1 && keysOf(others) === '', 'another line is in its place');
    const isChained = hash === hex(digest(fromHex(last.hash), utf8(sealed)));
    check(isChained, 'the hash is not that of the hash before and the sealed text');
    const [number, occurredAt, rowText, changesText, ...rest] = sealed.split('\n');
    const row = JSON.parse(rowText);
    const hasForm = number === `${sequence}` && new Date(occurredAt).toISOString() === occurredAt && rest.length === 0;
    check(hasForm && row.company_id === company.id, 'the sealed text is of another sequence or company');
    const isInPeriod = occurredAt <= asOf && (from === null || occurredAt >= from);
    check(inPeriod === (isInPeriod ? undefined : false), 'inPeriod is wrong');
    check(isInPeriod || last !== first, 'the first event is not in the period');
    last = { sequence, hash, isInPeriod, at: occurredAt };
    const sealedEvent = { sequence, occurredAt, row, changes: JSON.parse(changesText), isLate: occurredAt > asOf };
    learn(sealedEvent);
    check(isSame(shownEvent(sealedEvent), event), 'the event differs from its sealed text');
    apply(sealedEvent);
  }

  await at('events.ndjson', async () => {
    const placeOf = () => (last === undefined ? 'line 1' : `sequence ${last.sequence + 1}`);
    const each = (line) => {
      if (last !== undefined) readEvent(line);
      else {
        const isStart = line.sequence === 0 && line.hash === '';
        const isSeal = from !== null && Number.isSafeInteger(line.sequence) && /^[0-9a-f]{64}$/.test(line.hash);
        check(
          keysOf(line) === 'hash,sequence' && (isStart || isSeal),
          'expected the sequence and hash before the first event',
        );
        first = line;
        last = line;
      }
      if (line.sequence === checkpoint?.sequence) found = last;
    };
    await zip.lines('events.ndjson', each, placeOf);
    check(last?.isInPeriod !== false, `sequence ${last?.sequence}: the last event is not in the period`);
    check(
      head.sequence === last?.sequence && head.hash === last.hash,
      `sequence ${last?.sequence}: it is not the head`,
    );
  });
  for (const [sequence, { id, isLate }] of identities)
    for (const name of users.get(id).names ?? []) if (name.sequence === sequence) name.isLate = isLate;

  // The registers
  const counts = { members: members.length, events: last.sequence - first.sequence };
  const rowsOf = {};

  /** A resource as it was at `asOf`. */
  function shownState(type, { values, version, by, kind, occurredAt }) {
    const { columns } = types.get(type);
    const defaults = Object.entries(columns).filter(([, column]) => column.default !== undefined);
    const shown = shownFields(
      type,
      { ...Object.fromEntries(defaults.map(([column, { default: value }]) => [column, value])), ...values },
      true,
    );
    if (!Object.hasOwn(columns, 'version')) return shown;
    return { ...shown, version, updatedAt: occurredAt, updatedBy: new Person(users, by, undefined, kind) };
  }

  /** The rows that a register must have, in their order. */
  function* expectedRows(type) {
    const there = [...(states.get(type) ?? [])].filter(([, { isThere }]) => isThere);
    for (const [, state] of there.toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))) {
      const row = shownState(type, state);
      const isOfTask = row.resource?.type !== 'task' || rowsOf.tasks.has(row.resource.uniqueId);
      if (frameworks === null || (type === 'task' ? frameworks.includes(row.framework) : isOfTask)) yield row;
    }
  }

  /** The CSV file of a register: a header and its rows. */
  function csvRecord(type, row) {
    const kinds = Object.fromEntries(Object.values(types.get(type).columns).map(({ field, kind }) => [field, kind]));
    const shown = Object.entries(row).map(([field, value]) =>
      value !== null && kinds[field] === 'person' ? value.name : value,
    );
    const names = [rowsOf.frameworks.get(row.framework), rowsOf.departments.get(row.departmentId)];
    const cells = type === 'task' ? [...shown, ...names, row.gaps.map((id) => rowsOf.gaps.get(id))] : shown;
    return cells.map((value) => {
      const isPlain = value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean';
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return isPlain ? `${value ?? ''}` : text.replace(FORMULA, "'$&");
    });
  }

  for (const [register, type] of Object.entries(REGISTERS)) {
    const name = `${register}.ndjson`;
    const rows = new Map();
    rowsOf[register] = rows;
    const expectations = from === null ? expectedRows(type) : undefined;
    const csv = register === 'tasks' || register === 'vendors' ? platform.sha256() : undefined;
    const writeCsv = (cells) =>
      csv?.update(
        utf8(
          `${cells.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')}\r\n`,
        ),
      );
    let header;
    counts[register] = await at(name, () =>
      zip.lines(name, (row) => {
        const expected = expectations?.next().value;
        check(from !== null || expected !== undefined, 'the events give no more rows');
        for (const field of expected === undefined ? [] : Object.keys({ ...expected, ...row }))
          check(isSame(expected[field] ?? null, row[field]), `${field} is not as the events give it`);
        rows.set(row.uniqueId ?? row.id, register === 'evidence' ? row : (row.name ?? row.title));
        if (csv === undefined) return;
        if (header === undefined)
          writeCsv([
            `\ufeff${Object.keys(row)[0]}`,
            ...Object.keys(row).slice(1),
            ...(type === 'task' ? ['frameworkName', 'departmentName', 'gapTitles'] : []),
          ]);
        header ??= `${Object.keys(row)}`;
        check(`${Object.keys(row)}` === header, 'its keys are not those of the first row');
        writeCsv(csvRecord(type, row));
      }),
    );
    await at(name, () => check(expectations?.next().value === undefined, `line ${rows.size + 1}: a row is missing`));
    await at(`${register}.csv`, async () => {
      if (header !== undefined)
        check(hex(csv.digest()) === listed.get(`${register}.csv`).sha256, `it differs from ${name}`);
      else if (csv !== undefined)
        check(
          /^\ufeff[^\r\n]+\r\n$/.test(utf8Decoder().decode(await zip.whole(`${register}.csv`))),
          'expected a header alone',
        );
    });
  }

  for (const [
    index,
    { uniqueId, name, role, frameworks: limits, createdAt, endedAt, identities: own },
  ] of members.entries())
    await at(`members.ndjson: line ${index + 1}`, () => {
      for (const identity of own) {
        const { sequence, name, email, salt, proved } = identity;
        check(keysOf(identity) === 'email,name,proved,salt,sequence', 'an identity has other keys');
        check(proved === sequence > first.sequence, `sequence ${sequence}: proved is wrong`);
        const event = identities.get(sequence);
        const isProved = event?.id === uniqueId && event.digest === hex(digest(utf8(`${salt}\n${name}\n${email}`)));
        check(!proved || isProved, `sequence ${sequence}: the identity is not that of the event`);
      }
      check(new Person(users, uniqueId).isShownAs({ uniqueId, name, kind: 'human' }), 'the name is not that of asOf');
      const has = new Set(own.map(({ sequence }) => sequence));
      for (const [sequence, { id, isLate }] of own.length === 0 ? [] : identities)
        check(id !== uniqueId || isLate || has.has(sequence), `the identity of sequence ${sequence} is missing`);
      const state = states.get('member')?.get(uniqueId);
      const past = state?.values && shownState('member', state);
      const expected = past && { ...past, role: past.endedAt === null ? past.role : null };
      check(from !== null || joined.has(uniqueId), 'the events have no such member');
      const shown = { role: expected?.role, frameworks: limits, createdAt, endedAt };
      const isAsEvents = ['frameworks', 'createdAt', 'endedAt'].every((field) =>
        isSame(expected?.[field], shown[field]),
      );
      check(
        from !== null || (isAsEvents && expected.role === role),
        'role, frameworks, createdAt or endedAt are not as the events give them',
      );
    });
  for (const id of joined)
    await at('members.ndjson', () =>
      check(
        members.some(({ uniqueId }) => uniqueId === id),
        `${id} is missing`,
      ),
    );

  // The files of evidence
  const missing = new Map(manifest.missing.map(({ sha256, size }) => [sha256, size]));
  const named = new Map(
    [...rowsOf.evidence.values()]
      .filter(({ kind }) => evidence && kind === 'file')
      .map(({ sha256, size }) => [sha256, size]),
  );
  for (const [sha256, size] of named)
    await at(`files/${sha256}`, () => {
      const file = listed.get(`files/${sha256}`);
      check(
        (file === undefined) !== !missing.has(sha256),
        'it is in one of the ZIP and missing of the manifest, not in both',
      );
      check(
        size === (file?.size ?? missing.get(sha256)) && (file?.sha256 ?? sha256) === sha256,
        'it is not the file of the evidence',
      );
    });
  for (const path of [...listed.keys(), ...[...missing.keys()].map((sha256) => `files/${sha256}`)])
    await at(path, () => check(!path.startsWith('files/') || named.has(path.slice(6)), 'no evidence names it'));

  // The checkpoint
  const outcome = await at('--checkpoint', async () => {
    if (checkpoint === undefined) return null;
    const { company: of, sequence, hash, at: time, signature: signed, keyId } = checkpoint;
    check(of === company.id, `it is of company ${of}`);
    check(
      found !== undefined,
      `sequence ${sequence} is not in the proof, which has ${first.sequence} to ${head.sequence}`,
    );
    check(
      found.hash === hash && [time, undefined].includes(found.at),
      `sequence ${sequence} is another event in this proof`,
    );
    const signer = new Map([...own, ...given]).get(keyId);
    const text = utf8(JSON.stringify({ company: of, sequence, hash, at: time }));
    const isSigned = signer === undefined || (await platform.verify(signer, fromBase64(signed), text));
    check(isSigned, 'its signature does not match');
    return { sequence, isSignatureChecked: signer !== undefined };
  });
  const { product, createdAt } = manifest;
  const result = {
    product,
    company,
    from,
    asOf,
    frameworks,
    evidence,
    createdAt,
    head,
    counts,
    missing: manifest.missing,
  };
  return {
    ...result,
    fingerprint,
    isKeyGiven: given.size > 0,
    timestamp,
    checkpoint: outcome,
    isRebuilt: from === null,
    fields,
  };
}

/** The result in lines for people. */
export function describe(result) {
  const { company, from, asOf, createdAt, head, counts, missing, fingerprint, isKeyGiven, timestamp, checkpoint } =
    result;
  const numbersOf = Object.entries(counts)
    .map(([register, count]) => `${register} ${count}`)
    .join(', ');
  const lines = [
    `the proof holds: ${company.name} (company ${company.id}), ${from ?? 'the beginning'} to ${asOf}, made at ${createdAt}`,
    `head: sequence ${head.sequence}, hash ${head.hash}`,
    `${numbersOf}: ${result.isRebuilt ? 'rebuilt from the events' : 'not rebuilt, as the proof begins later than the log'}`,
    `missing files: ${missing.length}`,
    `signing key: ${fingerprint} (${isKeyGiven ? 'one of the given keys' : 'compare it with the keys of the service'})`,
    `timestamp: ${timestamp === null ? 'none' : `${timestamp} (its signature is not checked here; openssl ts -verify checks it)`}`,
  ];
  const signed = checkpoint?.isSignatureChecked ? 'signature checked' : 'signature not checked';
  return [
    ...lines,
    ...(checkpoint === null
      ? []
      : [`checkpoint: the log continues it from sequence ${checkpoint.sequence}; ${signed}`]),
  ].map(printable);
}

// Node. The names of its modules are variables, so that bundlers for browsers leave them out.

const node = (name) => import(/* @vite-ignore */ `node:${name}`);

/** What Node gives to the core. A browser has other means. */
export async function nodePlatform() {
  const [{ createHash, createPublicKey, verify }, { createInflateRaw }, { Readable, pipeline }] = await Promise.all(
    ['crypto', 'zlib', 'stream'].map(node),
  );
  async function* inflate(chunks) {
    const inflater = createInflateRaw();
    let length = 0;
    const count = (chunk) => {
      length += chunk.length;
      return chunk;
    };
    pipeline(Readable.from(chunks).map(count), inflater, () => undefined); // the loop gets its errors
    yield* inflater;
    check(inflater.bytesWritten === length, 'bytes follow its compressed data');
  }
  const toKey = (x) => createPublicKey({ key: { crv: 'Ed25519', kty: 'OKP', x: base64url(x) }, format: 'jwk' });
  return {
    sha256: () => createHash('sha256'),
    inflate,
    verify: (key, signature, bytes) => verify(null, bytes, toKey(key), signature),
  };
}

/** Opens a file for `verifyProof`. */
export async function openFile(path) {
  const file = await (await node('fs/promises')).open(path);
  const { size } = await file.stat();
  const read = async (start, end) => {
    const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start);
    return buffer.subarray(0, bytesRead);
  };
  return { size, read, close: () => file.close() };
}

/** The command, if Node runs this file and does not only import it. */
async function main(process) {
  const [{ parseArgs }, { readFile, realpath }, { fileURLToPath }] = await Promise.all(
    ['util', 'fs/promises', 'url'].map(node),
  );
  if ((await realpath(process.argv[1])) !== fileURLToPath(import.meta.url)) return;
  try {
    const options = { key: { type: 'string', multiple: true, default: [] }, checkpoint: { type: 'string' } };
    const { values, positionals } = parseArgs({ args: process.argv.slice(2), options, allowPositionals: true });
    check(positionals.length === 1, 'usage: node verify.mjs proof.zip [--key FILE]... [--checkpoint FILE]');
    const text = (path) => readFile(path, 'utf8');
    const keys = await Promise.all(values.key.map(text));
    const checkpoint = values.checkpoint === undefined ? undefined : await text(values.checkpoint);
    const result = await verifyProof(await openFile(positionals[0]), await nodePlatform(), { keys, checkpoint });
    process.stdout.write(`${describe(result).join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${printable(error.message)}\n`);
    process.exitCode = 1;
  }
}

if (globalThis.process?.argv?.[1] !== undefined) void main(globalThis.process);
