#!/usr/bin/env node
// Verifies a proof: node verify.mjs proof.zip [--key FILE]... [--checkpoint FILE]
// It needs Node 20 or later, no packages and no network. docs/proof.md of the product has the format.
// Browsers run it too: only the command, at the end, uses modules of Node.

/** The proof does not hold. The message is one line that names the first wrong file or sequence. */
export class ProofError extends Error {
  name = 'ProofError';
}

const OPERATOR = '00000000-0000-7000-8000-000000000001';
/** Registers in the order in which they are checked: frameworks and others give names to those of tasks. */
const REGISTERS = 'frameworks departments gaps vendors tasks comments evidence keys'.split(' ');
const typeOf = (register) => ({ evidence: 'evidence', keys: 'apiKey' })[register] ?? register.slice(0, -1);
const OTHERS = 'README.txt report.html tasks.csv vendors.csv fields.json signing-key.pem verify.mjs'.split(' ');
const ROWS = [...REGISTERS, 'members', 'events'].map((register) => `${register}.ndjson`);
const LISTED = [...ROWS, ...OTHERS];
const UNLISTED = ['manifest.json', 'manifest.sig', 'manifest.tsr'];
const MANIFEST_KEYS = 'product,company,from,asOf,frameworks,evidence,createdAt,head,files,missing';
/** In hexadecimal: the DER of an Ed25519 key, and a timestamp with the digest and the time in its TSTInfo. */
const SPKI = /^302a300506032b6570032100([0-9a-f]{64})$/;
const TSTINFO =
  /060b2a864886f70d0109100104(?:..)*?0609608648016503040201(?:0500)?0420([0-9a-f]{64})(?:..)*?18(?:0f|1[0-9])((?:3.)+)/;
/** Size of a read, and the most that is read as a whole: of a line, of a file. */
const [CHUNK, MAX_LINE, MAX_WHOLE] = [2 ** 18, 2 ** 24, 2 ** 28];

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const latin1 = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
const fromLatin1 = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const base64url = (bytes) => btoa(latin1(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const fromBase64 = (text) => fromLatin1(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
const utf8 = (text) => new TextEncoder().encode(text);
const jwkOf = (x) => utf8(`{"crv":"Ed25519","kty":"OKP","x":"${base64url(x)}"}`);
const fromUtf8 = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const keysOf = (value) => (typeof value === 'object' && value !== null ? Object.keys(value).toSorted().join() : '');
const printable = (text) => text.replaceAll(/\p{C}/gu, '?').slice(0, 300);
/** Compares lists of numbers. */
const isList = (list, other) => list.join() === other.join();
const isFullRow = (action) => /\.(create|delete)$/.test(action);

/** Throws an error, of a place or of that of the check in which it is. */
function check(holds, message, place) {
  if (!holds) throw place === undefined ? new Error(message) : new ProofError(printable(`${place}: ${message}`));
}

/** Runs a check of a place. Its errors get the place, also those of values that have not the expected form. */
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
  let end = start;
  return [...widths].map((width) => {
    end += Number(width);
    if (width === '8') return Number(view.getBigUint64(end - 8, true));
    return width === '4' ? view.getUint32(end - 4, true) : view.getUint16(end - 2, true);
  });
}

/** Opens the ZIP and compares its two directories. Each byte must belong to a file or to a directory. */
async function openZip(source, platform, progress) {
  const entries = new Map();
  async function read(start, end) {
    check(start >= 0 && start <= end && end <= source.size, 'a position is outside of the ZIP');
    const bytes = await source.read(start, end);
    check(bytes.length === end - start, 'the ZIP is shorter than its size');
    return bytes;
  }

  /** Number of entries, size, start and end of the central directory. The end records are the last bytes. */
  async function readEnd() {
    const end = source.size - 22;
    const [signature, disks, here, ...short] = numbers(await read(end, end + 22), 0, '4422442');
    const isEnd = signature === 0x06054b50 && disks === 0 && here === short[0] && short[3] === 0;
    check(isEnd, 'expected the end of the central directory as its last bytes');
    const limits = [0xffff, 0xffffffff, 0xffffffff];
    if (limits.every((limit, index) => short[index] < limit)) return [...short.slice(0, 3), end];
    const [record, size, , wideDisks, wideHere, ...wide] = numbers(await read(end - 76, end), 0, '484888884484');
    const isRecord = record === 0x06064b50 && size === 44 && wideDisks === 0 && wideHere === wide[0];
    const isLocator = isList(wide.slice(3), [0x07064b50, 0, end - 76, 1]);
    const agrees = limits.every((limit, index) => [limit, wide[index]].includes(short[index]));
    check(isRecord && isLocator && agrees, 'the Zip64 records at its end are wrong');
    return [...wide.slice(0, 3), end - 76];
  }

  /** Compares a local header, and what follows the data, with the central directory. Returns the next position. */
  async function readHeader(entry) {
    const { name, flags, method, time, crc, compressed, size, isWide, offset } = entry;
    entry.start = offset + 30 + name.length;
    const bytes = await read(offset, entry.start);
    const sizes = [crc, compressed, size];
    const header = [flags, method, time, ...(flags & 8 ? [0, 0, 0] : sizes), name.length, 0];
    const [signature, , ...found] = numbers(bytes, 0, '4222444422');
    const agrees = signature === 0x04034b50 && isList(found, header) && latin1(bytes.subarray(30)) === name;
    check(agrees, 'the two directories of the ZIP disagree');
    const end = entry.start + compressed;
    const length = flags & 8 ? (isWide ? 24 : 16) : 0;
    if (length === 0) return end;
    const after = numbers(await read(end, end + length), 0, isWide ? '4488' : '4444');
    check(isList(after, [0x08074b50, ...sizes]), 'the two directories of the ZIP disagree');
    return end + length;
  }

  const start = await at('ZIP', async () => {
    const [count, size, begin, end] = await readEnd();
    check(size <= MAX_WHOLE && begin + size === end, 'the central directory does not end where its end record is');
    const bytes = await read(begin, end);
    let next = 0;
    for (let index = 0; index < count; index += 1) {
      const [signature, , ...values] = numbers(bytes, next, '442244442222244');
      const [flags, method, time, crc, compressed, length, nameLength, extraLength, comment, disk, , mode, offset] =
        values;
      const entry = { flags, method, time, crc, compressed, size: length, offset, isWide: extraLength >= 28 };
      next += 46 + nameLength + extraLength;
      check(signature === 0x02014b50 && next <= size, 'the central directory is wrong');
      const name = latin1(bytes.subarray(next - nameLength - extraLength, next - extraLength));
      const isKnown = LISTED.includes(name) || UNLISTED.includes(name) || /^files\/[0-9a-f]{64}$/.test(name);
      check(isKnown && !entries.has(name), 'a proof has no file of this name, or not twice', name);
      if (entry.isWide) [entry.size, entry.compressed, entry.offset] = numbers(bytes, next - 24, '888');
      const extra = hex(bytes.subarray(next - extraLength, next));
      const isFile = (flags | 8) === 0x808 && comment === 0 && disk === 0 && [0, 8].includes(mode >>> 28);
      const isPlain = isFile && (method === 8 || (method === 0 && entry.size === entry.compressed));
      check(isPlain && /^(?:55540500.{10})?(?:01001800.{48})?$/.test(extra), 'it is not a plain file', name);
      entries.set(name, { name, ...entry });
    }
    check(next === size, 'the central directory has bytes of no entry');
    return begin;
  });
  let position = 0;
  for (const entry of [...entries.values()].toSorted((a, b) => a.offset - b.offset)) {
    check(entry.offset === position, 'other bytes are before it or in its place', entry.name);
    position = await at(entry.name, () => readHeader(entry));
  }
  check(position === start, 'bytes before the central directory belong to no file', 'ZIP');
  for (const name of [...LISTED, ...UNLISTED.slice(0, 2)]) check(entries.has(name), 'the ZIP lacks it', name);
  const events = entries.get('events.ndjson').compressed; // is read twice, as other files are that are small
  const total = [...entries.values()].reduce((sum, { compressed }) => sum + compressed, events);
  let bytesRead = 0;

  async function* stored(entry) {
    const end = entry.start + entry.compressed;
    for (let from = entry.start; from < end; from += CHUNK) {
      const bytes = await read(from, Math.min(from + CHUNK, end));
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
  const lines = (name, each, placeOf = (number) => `line ${number}`) =>
    at(name, async () => {
      const decoder = fromUtf8();
      let [rest, number] = ['', 0];
      for await (const bytes of content(name)) {
        const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n');
        rest = parts.pop();
        check(rest.length <= MAX_LINE, 'a line is too long');
        for (const line of parts) {
          number += 1;
          await at(`${name}: ${placeOf(number)}`, () => {
            const value = JSON.parse(line);
            const isCanonical = keysOf(value) !== '' && JSON.stringify(value) === line;
            check(isCanonical, 'expected an object as JSON.stringify writes it');
            each(value);
          });
        }
      }
      check(rest + decoder.decode() === '', 'expected a line feed at its end');
      return number;
    });
  return { entries, content, whole, lines };
}

/** A user whom a value must show as `{uniqueId, name, kind}`: with the name of a sequence, or without one that of `asOf`. */
class Person {
  constructor(user, sequence, kind = user.kind) {
    Object.assign(this, { user, sequence, kind });
  }

  isShownAs(shown) {
    const { id, names } = this.user;
    if (keysOf(shown) !== 'kind,name,uniqueId' || shown.uniqueId !== id) return false;
    if (this.kind !== undefined && shown.kind !== this.kind) return false;
    if (names?.length === 0) return shown.name === 'Former member' || shown.name === id;
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

/** The cells of a row in a CSV file. @param people fields that show a person */
function csvRecord(values) {
  const cells = values.map((value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
    if (value === null || value === undefined) return '';
    const isText = typeof value === 'string' || typeof value === 'object';
    const guarded = isText ? text.replace(/^'*[=+\-@\t\r＝＋－＠]/, "'$&") : text;
    return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  });
  return `${cells.join(',')}\r\n`;
}

/** Verifies a proof, and returns what it holds. `verify.d.mts` has the types. */
export const verifyProof = (...input) => at('the proof', () => verify(...input));

async function verify(source, platform, { keys = [], checkpoint: checkpointText = 'null', progress } = {}) {
  const zip = await openZip(source, platform, progress);
  function digest(...parts) {
    const hash = platform.sha256();
    for (const part of parts) hash.update(part);
    return hash.digest();
  }

  /** Public keys of a PEM or of a JWK set, by fingerprint: the thumbprint of RFC 7638. */
  function publicKeys(text) {
    const pem = /^-----BEGIN PUBLIC KEY-----\n([\w+/=\n]+)-----END PUBLIC KEY-----\n?$/.exec(text);
    const [, point] = SPKI.exec(pem === null ? '' : hex(fromBase64(pem[1]))) ?? [];
    check(pem === null || point !== undefined, 'expected an Ed25519 key');
    const points = pem === null ? JSON.parse(text).keys.map(({ x }) => fromBase64(x)) : [fromHex(point)];
    return new Map(points.map((x) => [base64url(digest(jwkOf(x))), x]));
  }

  // The manifest, and the files that it lists
  const given = await at('--key', () => new Map(keys.flatMap((text) => [...publicKeys(text)])));
  const own = await at('signing-key.pem', async () => publicKeys(latin1(await zip.whole('signing-key.pem'))));
  const [[fingerprint, key]] = own;
  check(given.size === 0 || given.has(fingerprint), `${fingerprint} is none of the given keys`, 'signing-key.pem');
  const signature = await at('manifest.sig', () => zip.whole('manifest.sig'));
  const manifestBytes = await at('manifest.json', () => zip.whole('manifest.json'));
  const { files: listing, ...manifest } = await at('manifest.json', async () => {
    check(await platform.verify(key, signature, manifestBytes), 'the signature does not match');
    const text = fromUtf8().decode(manifestBytes);
    const isCanonical = `${JSON.stringify(JSON.parse(text), null, 2)}\n` === text;
    check(isCanonical && Object.keys(JSON.parse(text)).join() === MANIFEST_KEYS, 'expected the keys of a manifest');
    const { files, missing, company, head } = JSON.parse(text);
    const hasForm =
      [files, missing].every(Array.isArray) && keysOf(company) === 'id,name' && keysOf(head) === 'hash,sequence';
    check(hasForm, 'expected files, missing, company and head');
    return JSON.parse(text);
  });
  const { from, asOf, company, head, frameworks, evidence } = manifest;
  const listed = new Map();
  for (const { path, size, sha256 } of listing)
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
    check(listed.has(name) || UNLISTED.includes(name), 'the manifest does not list it', name);
  const timestamp = await at('manifest.tsr', async () => {
    if (!zip.entries.has('manifest.tsr')) return null;
    const [, imprint, time] = TSTINFO.exec(hex(await zip.whole('manifest.tsr'))) ?? [];
    check(imprint === hex(digest(manifestBytes)), 'it is not a timestamp of manifest.json');
    return latin1(fromHex(time)).replace(/^(....)(..)(..)(..)(..)(..).*$/, '$1-$2-$3T$4:$5:$6Z');
  });
  const fields = await at('fields.json', async () => JSON.parse(fromUtf8().decode(await zip.whole('fields.json'))));
  const types = await at('fields.json', () => new Map(Object.entries(fields.types)));
  const eventColumns = await at('fields.json', () => Object.entries(fields.event));
  const checkpoint = await at('--checkpoint', () => JSON.parse(checkpointText));

  // The members
  const operator = { id: OPERATOR, kind: 'human', names: [{ sequence: 0, name: 'Operator' }] };
  const users = new Map([[OPERATOR, operator]]);
  const userOf = (id) => users.get(id) ?? users.set(id, { id }).get(id);
  const members = new Map();
  let lastMember;
  await zip.lines('members.ndjson', (row) => {
    check(keysOf(row) === 'createdAt,endedAt,frameworks,identities,kind,name,role,uniqueId', 'its keys are wrong');
    const names = row.identities.map(({ sequence, name }) => ({ sequence, name }));
    const isOrdered = names.every(({ sequence }, index) => !(sequence <= names[index - 1]?.sequence));
    check(isOrdered && !(names.at(-1)?.sequence > head.sequence), 'its identities are not those up to the head');
    check(!(lastMember >= row.uniqueId), 'it is not in its place');
    lastMember = row.uniqueId;
    members.set(row.uniqueId, row);
    users.set(row.uniqueId, { id: row.uniqueId, kind: 'human', names });
  });

  // The events: the chain, each event as it is shown, and the states at `asOf`
  const [states, identities, joined, userOfKey] = [new Map(), new Map(), new Set(), new Map()];
  let [first, last, found] = [];

  function shownValue(kind, value, sequence, userKind) {
    if (value === null || kind === 'plain') return value;
    if (kind === 'people') return value.map((id) => new Person(userOf(id), sequence));
    return kind === 'time' ? new Date(value).toISOString() : new Person(userOf(value), sequence, userKind);
  }

  /** The fields of a full row, or of the changes of one. */
  function shownFields(type, values, isFull, sequence) {
    const { columns, derived } = types.get(type) ?? { columns: {} };
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
    for (const [column, { field, kind }] of eventColumns) {
      if (field === null || column === 'user_kind') continue;
      const value = shownValue(kind, values[column] ?? null, sequence, row.user_kind);
      const [name, part] = field.split('.');
      if (part === undefined) shown[name] = value;
      else shown[name] = value === null ? (shown[name] ?? null) : { ...shown[name], [part]: value };
    }
    return { ...shown, changes: shownFields(row.resource_type, changes, isFullRow(row.action), sequence) };
  }

  /** Records what an event of a member or a key says about its user. */
  function learn({ sequence, isLate, row: { action, resource_type: type, resource_id: id }, changes }) {
    const isCreate = action.endsWith('.create');
    const [digestOrName, kind] = type === 'member' ? ['identity', 'human'] : ['name', 'integration'];
    const value = isCreate ? changes[digestOrName] : changes[digestOrName]?.to;
    if (type === 'apiKey' && isCreate) userOfKey.set(id, changes.user_id);
    const user = type === 'member' ? id : userOfKey.get(id);
    if (isCreate) userOf(user).kind = kind;
    if (type === 'member' && isCreate && !isLate) joined.add(id);
    if (type === 'member' && typeof value === 'string') identities.set(sequence, { id, isLate, digest: value });
    if (type === 'apiKey' && user !== undefined && value !== undefined)
      (userOf(user).names ??= []).push({ sequence, name: value, isLate });
  }

  /** Applies an event to its resource. One after `asOf` waits for one in the chain that is not. */
  function apply(event) {
    const { resource_type: type, resource_id: id } = event.row;
    const ofType = states.get(type) ?? states.set(type, new Map()).get(type);
    const state = ofType.get(id) ?? ofType.set(id, { waiting: [] }).get(id);
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
    check(hash === hex(digest(fromHex(last.hash), utf8(sealed))), 'the hash is not that of the one before and sealed');
    const [number, occurredAt, rowText, changes, ...rest] = sealed.split('\n');
    const row = JSON.parse(rowText);
    const hasForm = number === `${sequence}` && new Date(occurredAt).toISOString() === occurredAt && rest.length === 0;
    check(hasForm && row.company_id === company.id, 'the sealed text is of another sequence or company');
    const isInPeriod = occurredAt <= asOf && (from === null || occurredAt >= from);
    const isMarked = inPeriod === (isInPeriod ? undefined : false);
    check(isMarked && (isInPeriod || last !== first), 'inPeriod is wrong, or the first event is outside of the period');
    last = { sequence, hash, isInPeriod, at: occurredAt };
    const sealedEvent = { sequence, occurredAt, row, changes: JSON.parse(changes), isLate: occurredAt > asOf };
    if (row.resource_type === 'member' || row.resource_type === 'apiKey') learn(sealedEvent);
    check(isSame(shownEvent(sealedEvent), event), 'the event differs from its sealed text');
    const isKept = [...REGISTERS, 'members'].some((register) => typeOf(register) === row.resource_type);
    if (from === null && isKept) apply(sealedEvent);
  }

  function readSealBefore(line) {
    const hasHash = line.sequence === 0 ? line.hash === '' : from !== null && /^[0-9a-f]{64}$/.test(line.hash);
    check(keysOf(line) === 'hash,sequence' && hasHash, 'expected the sequence and hash before the first event');
    [first, last] = [line, line];
  }

  const eachLine = (line) => {
    if (last === undefined) readSealBefore(line);
    else readEvent(line);
    if (line.sequence === checkpoint?.sequence) found = last;
  };
  await zip.lines('events.ndjson', eachLine, () => (last === undefined ? 'line 1' : `sequence ${last.sequence + 1}`));
  const isHead = head.sequence === last?.sequence && head.hash === last.hash;
  check(isHead && last.isInPeriod !== false, 'it is not the head', `events.ndjson: sequence ${last?.sequence}`);
  for (const [sequence, { id, isLate }] of identities)
    for (const name of userOf(id).names ?? []) if (name.sequence === sequence) name.isLate = isLate;

  // The registers
  const counts = { members: members.size, events: last.sequence - first.sequence };
  const rowsOf = {};

  /** A resource as it was at `asOf`. */
  function shownState(type, { values, version, by, kind, occurredAt }) {
    const { columns } = types.get(type);
    const defaults = Object.entries(columns).filter(([, column]) => column.default !== undefined);
    const missing = Object.fromEntries(defaults.map(([column, { default: value }]) => [column, value]));
    const shown = shownFields(type, { ...missing, ...values }, true);
    if (!Object.hasOwn(columns, 'version')) return shown;
    return { ...shown, version, updatedAt: occurredAt, updatedBy: new Person(userOf(by), undefined, kind) };
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

  const namesOf = ({ framework, departmentId, gaps }) => ({
    frameworkName: rowsOf.frameworks.get(framework),
    departmentName: rowsOf.departments.get(departmentId),
    gapTitles: gaps.map((id) => rowsOf.gaps.get(id)),
  });

  for (const register of REGISTERS) {
    const type = typeOf(register);
    const rows = new Map();
    rowsOf[register] = rows;
    const expectations = from === null ? expectedRows(type) : undefined;
    const csv = platform.sha256();
    const people = Object.values(types.get(type).columns).filter(({ kind }) => kind === 'person');
    const isPerson = (field) => people.some((person) => person.field === field);
    let header;
    counts[register] = await zip.lines(`${register}.ndjson`, (row) => {
      const expected = expectations?.next().value;
      check(from !== null || expected !== undefined, 'the events give no more rows');
      for (const field of expected === undefined ? [] : Object.keys({ ...expected, ...row }))
        check(isSame(expected[field] ?? null, row[field]), `${field} is not as the events give it`);
      rows.set(row.uniqueId ?? row.id, register === 'evidence' ? row : (row.name ?? row.title));
      if (register !== 'tasks' && register !== 'vendors') return;
      const names = register === 'tasks' ? namesOf(row) : {};
      if (header === undefined) csv.update(utf8(`\ufeff${csvRecord(Object.keys({ ...row, ...names }))}`));
      header ??= Object.keys(row).join();
      check(Object.keys(row).join() === header, 'its keys are not those of the first row');
      const cells = Object.entries(row).map(([field, value]) => (isPerson(field) ? value?.name : value));
      csv.update(utf8(csvRecord([...cells, ...Object.values(names)])));
    });
    check(expectations?.next().value === undefined, 'a row is missing', `${register}.ndjson: line ${rows.size + 1}`);
    const csvName = `${register}.csv`;
    if (header !== undefined)
      check(hex(csv.digest()) === listed.get(csvName).sha256, `it differs from ${register}.ndjson`, csvName);
    else if (listed.has(csvName)) {
      const text = latin1(await at(csvName, () => zip.whole(csvName)));
      check(/^\xef\xbb\xbf[^\r\n]+\r\n$/.test(text), 'expected a header alone', csvName);
    }
  }

  // The members, with their identities
  function checkMember({ uniqueId, name: today, role, ...row }) {
    for (const { sequence, name, email, salt, proved, ...others } of row.identities) {
      check(proved === sequence > first.sequence && keysOf(others) === '', `sequence ${sequence}: proved is wrong`);
      const event = identities.get(sequence);
      const isProved = event?.id === uniqueId && event.digest === hex(digest(utf8(`${salt}\n${name}\n${email}`)));
      check(!proved || isProved, `sequence ${sequence}: the identity is not that of the event`);
    }
    const isShown = new Person(userOf(uniqueId)).isShownAs({ uniqueId, name: today, kind: row.kind });
    check(isShown, 'the name is not that of asOf');
    const recorded = new Set(row.identities.map(({ sequence }) => sequence));
    for (const [sequence, { id, isLate }] of recorded.size === 0 ? [] : identities)
      check(id !== uniqueId || isLate || recorded.has(sequence), `the identity of sequence ${sequence} is missing`);
    if (from !== null) return;
    check(joined.has(uniqueId), 'the events have no such member');
    const past = shownState('member', states.get('member').get(uniqueId));
    check((past.endedAt === null ? past.role : null) === role, 'role is not as the events give it');
    for (const field of ['frameworks', 'createdAt', 'endedAt'])
      check(isSame(past[field], row[field]), `${field} is not as the events give it`);
  }
  for (const [index, member] of [...members.values()].entries())
    await at(`members.ndjson: line ${index + 1}`, () => checkMember(member));
  for (const id of joined) check(members.has(id), `${id} is missing`, 'members.ndjson');

  // The files of evidence
  const missing = new Map(manifest.missing.map(({ sha256, size }) => [sha256, size]));
  const files = [...rowsOf.evidence.values()].filter(({ kind }) => evidence && kind === 'file');
  const named = new Set(files.map(({ sha256 }) => `files/${sha256}`));
  for (const { sha256, size } of files) {
    const file = listed.get(`files/${sha256}`);
    check((file === undefined) === missing.has(sha256), 'expected it in the ZIP or in missing', `files/${sha256}`);
    const isFile = (file?.size ?? missing.get(sha256)) === size && [undefined, sha256].includes(file?.sha256);
    check(isFile, 'it is not the file of the evidence', `files/${sha256}`);
  }
  for (const path of [...listed.keys(), ...[...missing.keys()].map((sha256) => `files/${sha256}`)])
    check(!path.startsWith('files/') || named.has(path), 'no evidence names it', path);

  // The checkpoint
  const outcome = await at('--checkpoint', async () => {
    if (checkpoint === null) return null;
    const { signature: signed, keyId, company: id, sequence, hash, at: time } = checkpoint;
    check(id === company.id, `it is of company ${id}`);
    check(found !== undefined, `sequence ${sequence} is not in the proof: ${first.sequence} to ${head.sequence}`);
    check(found.hash === hash && [time, undefined].includes(found.at), `sequence ${sequence} is another event`);
    const signer = own.get(keyId) ?? given.get(keyId);
    const text = utf8(JSON.stringify({ company: id, sequence, hash, at: time }));
    const isSigned = signer === undefined || (await platform.verify(signer, fromBase64(signed), text));
    check(isSigned, 'its signature does not match');
    return { sequence, isSignatureChecked: signer !== undefined };
  });
  const about = { ...manifest, counts, fingerprint, isKeyGiven: given.size > 0, timestamp, checkpoint: outcome };
  return { ...about, isRebuilt: from === null, fields };
}

/** The result in lines for people. */
export function describe(result) {
  const { company, from, asOf, head, counts, fingerprint, timestamp, checkpoint } = result;
  const numbersOf = Object.entries(counts).map(([register, count]) => `${register} ${count}`);
  const signed = checkpoint?.isSignatureChecked ? 'signature checked' : 'signature not checked';
  return [
    `the proof holds: ${company.name} (company ${company.id}), ${from ?? 'the beginning'} to ${asOf}`,
    `head: sequence ${head.sequence}, hash ${head.hash}`,
    `${numbersOf.join(', ')}: ${result.isRebuilt ? 'rebuilt from the events' : 'not rebuilt, as the beginning is not in it'}`,
    `missing files: ${result.missing.length}`,
    `signing key: ${fingerprint} (${result.isKeyGiven ? 'one of the given keys' : 'compare it with the keys of the service'})`,
    `timestamp: ${timestamp === null ? 'none' : `${timestamp} (openssl ts -verify checks its signature)`}`,
    `checkpoint: ${checkpoint === null ? 'none' : `the log continues it from sequence ${checkpoint.sequence}; ${signed}`}`,
  ].map(printable);
}

// Node. The names of its modules are no constants, so that bundlers for browsers leave them out.

const node = (...names) => Promise.all(names.map((name) => import(/* @vite-ignore */ `node:${name}`)));

/** What Node gives to the core. A browser has other means. */
export async function nodePlatform() {
  const [crypto, { createInflateRaw }, { Readable, pipeline }] = await node('crypto', 'zlib', 'stream');
  async function* inflate(chunks) {
    const inflater = createInflateRaw();
    let length = 0;
    const counted = Readable.from(chunks).map((chunk) => ((length += chunk.length), chunk));
    pipeline(counted, inflater, () => undefined); // the loop gets its errors
    yield* inflater;
    check(inflater.bytesWritten === length, 'bytes follow its compressed data');
  }
  const toKey = (x) => crypto.createPublicKey({ key: { crv: 'Ed25519', kty: 'OKP', x: base64url(x) }, format: 'jwk' });
  const isSigned = (key, signature, bytes) => crypto.verify(null, bytes, toKey(key), signature);
  return { sha256: () => crypto.createHash('sha256'), inflate, verify: isSigned };
}

/** Opens a file for `verifyProof`. */
export async function openFile(path) {
  const [{ open }] = await node('fs/promises');
  const file = await open(path);
  const read = async (start, end) => {
    const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start);
    return buffer.subarray(0, bytesRead);
  };
  return { size: (await file.stat()).size, read, close: () => file.close() };
}

/** The command, if Node runs this file and does not only import it. */
async function main({ argv, stdout, stderr }) {
  const [{ parseArgs }, { readFile, realpath }, { fileURLToPath }] = await node('util', 'fs/promises', 'url');
  if ((await realpath(argv[1])) !== fileURLToPath(import.meta.url)) return;
  try {
    const options = { key: { type: 'string', multiple: true, default: [] }, checkpoint: { type: 'string' } };
    const { values, positionals } = parseArgs({ args: argv.slice(2), options, allowPositionals: true });
    check(positionals.length === 1, 'usage: node verify.mjs proof.zip [--key FILE]... [--checkpoint FILE]');
    const keys = await Promise.all(values.key.map((path) => readFile(path, 'utf8')));
    const checkpoint = values.checkpoint && (await readFile(values.checkpoint, 'utf8'));
    const result = await verifyProof(await openFile(positionals[0]), await nodePlatform(), { keys, checkpoint });
    stdout.write(`${describe(result).join('\n')}\n`);
  } catch (error) {
    stderr.write(`${printable(error.message)}\n`);
    globalThis.process.exitCode = 1;
  }
}
if (globalThis.process?.argv?.[1] !== undefined) void main(globalThis.process);
