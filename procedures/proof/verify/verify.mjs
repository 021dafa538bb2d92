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
const LISTED = [...[...REGISTERS, 'members', 'events'].map((register) => `${register}.ndjson`), ...OTHERS];
const UNLISTED = ['manifest.json', 'manifest.sig', 'manifest.tsr'];
const MANIFEST_KEYS = 'product,company,from,asOf,frameworks,evidence,createdAt,head,files,missing';
const MEMBER_KEYS = 'createdAt,endedAt,frameworks,identities,kind,name,role,uniqueId';
const PERSON_KEYS = 'kind,name,uniqueId';
/** In hexadecimal: the extra fields of an entry, the DER of an Ed25519 key, digest and time in the TSTInfo of a timestamp. */
const EXTRA = /^(?:55540500.{10})?(?:01001800(.{48}))?$/;
const SPKI = /^302a300506032b6570032100([0-9a-f]{64})$/;
const TSTINFO =
  /060b2a864886f70d0109100104(?:..)*?0609608648016503040201(?:0500)?0420([0-9a-f]{64})(?:..)*?18(?:0f|1[0-9])((?:3.)+)/;
/** Size of a read, and the most that is read as a whole: of a line, of a file. */
const [CHUNK, MAX_LINE, MAX_WHOLE] = [2 ** 18, 2 ** 24, 2 ** 28];

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const latin1 = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
const base64url = (bytes) => btoa(latin1(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
const utf8 = (text) => new TextEncoder().encode(text);
const fromUtf8 = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const keysOf = (value) => (typeof value === 'object' && value !== null ? Object.keys(value).toSorted().join() : '');
const printable = (text) => text.replaceAll(/\p{C}/gu, '?').slice(0, 300);
const isFullRow = (action) => /\.(create|delete)$/.test(action);

function check(holds, message) {
  if (!holds) throw new Error(message);
}

/** Little-endian numbers of these widths in bytes. */
function numbers(bytes, widths) {
  let end = 0;
  const partOf = (width) => bytes.subarray(end, (end += Number(width)));
  return [...widths].map((width) => partOf(width).reduceRight((sum, byte) => sum * 256 + byte, 0));
}
const isList = (list, other) => list.join() === other.join();

/** Compares a value that the events give with one that is shown. A function compares by itself. */
function isSame(expected, shown) {
  if (expected === shown) return true;
  if (typeof expected === 'function') return expected(shown);
  if (typeof expected !== 'object' || typeof shown !== 'object' || expected === null || shown === null) return false;
  const keys = Object.keys(expected);
  if (Array.isArray(expected) !== Array.isArray(shown) || keys.length !== Object.keys(shown).length) return false;
  return keys.every((key) => Object.hasOwn(shown, key) && isSame(expected[key], shown[key]));
}

function checkFields(expected, shown) {
  for (const field of Object.keys({ ...expected, ...shown }))
    check(isSame(expected[field] ?? null, shown[field]), `${field} is not as the events give it`);
}

function csvCell(value) {
  if (value === null || value === undefined) return '';
  const shown = keysOf(value) === PERSON_KEYS ? value.name : value;
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  const guarded = typeof shown === 'number' ? text : text.replace(/^'*[=+\-@\t\r＝＋－＠]/, "'$&");
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
const csvRecord = (values) => utf8(`${values.map(csvCell).join(',')}\r\n`);

/** Verifies a proof, and returns what it holds. `verify.d.mts` has the types. */
export async function verifyProof(source, platform, options = {}) {
  const verifier = new Verifier(source, platform, options);
  try {
    return await verifier.verify();
  } catch (error) {
    throw new ProofError(printable(`${verifier.place}: ${error.message}`));
  }
}

class Verifier {
  /** What is checked now. Errors name it. */
  place = 'the proof';
  /** Files of the ZIP, and those of the manifest. */
  entries = new Map();
  listed = new Map();
  bytesRead = 0;
  /** By id: kind, names, and digests of identities by sequence, as far as they are known. */
  users = new Map([[OPERATOR, { kind: 'human', names: [{ sequence: 0, name: 'Operator' }], digests: new Map() }]]);
  members = new Map();
  /** Resources by type and id, as they were at `asOf`. */
  states = new Map([...REGISTERS, 'members'].map((register) => [typeOf(register), new Map()]));
  /** Sequences of events after `asOf`. */
  late = new Set();
  /** Names by id, and the rows of evidence. */
  rows = {};
  counts = {};

  constructor(source, platform, options) {
    Object.assign(this, { source, platform, options });
  }

  async verify() {
    await this.readZip();
    await this.readManifest();
    await this.readFields();
    await this.readMembers();
    await this.readEvents();
    for (const register of REGISTERS) await this.checkRegister(register);
    this.checkMembers();
    this.checkEvidence();
    const { fingerprint, timestamp, fields, counts } = this;
    const { files, ...manifest } = this.manifest;
    const checkpoint = await this.checkCheckpoint();
    const isRebuilt = manifest.from === null;
    return {
      ...manifest,
      counts,
      fingerprint,
      isKeyGiven: this.given.size > 0,
      timestamp,
      checkpoint,
      isRebuilt,
      fields,
    };
  }

  checkAt(place, holds, message) {
    this.place = place;
    check(holds, message);
  }

  digest(...parts) {
    const hash = this.platform.sha256();
    for (const part of parts) hash.update(part);
    return hash.digest();
  }

  // The ZIP. Each of its bytes belongs to a file or to a directory.

  async read(start, length) {
    const isInside = start >= 0 && start + length <= this.source.size;
    const bytes = isInside ? await this.source.read(start, start + length) : [];
    check(bytes.length === length, 'the ZIP breaks off');
    return bytes;
  }

  /** Reads the end records, which are the last bytes, and the central directory before them. */
  async readZip() {
    this.place = 'ZIP';
    const [shortStart, wideStart] = [this.source.size - 22, this.source.size - 98];
    const [signature, disks, here, ...short] = numbers(await this.read(shortStart, 22), '4422442');
    const isEnd = signature === 0x06054b50 && disks === 0 && here === short[0] && short[3] === 0;
    check(isEnd, 'expected the end of the central directory as its last bytes');
    const limits = [0xffff, 0xffffffff, 0xffffffff];
    const isWide = limits.some((limit, index) => short[index] === limit);
    const wide = isWide ? numbers(await this.read(wideStart, 76), '4844488884484') : [];
    const [count, size, start] = limits.map((limit, index) =>
      short[index] === limit ? wide[6 + index] : short[index],
    );
    const expected = [0x06064b50, 44, wide[2], 0, 0, count, count, size, start, 0x07064b50, 0, wideStart, 1];
    check(!isWide || isList(wide, expected), 'the Zip64 records at its end are wrong');
    const isAtEnd = size <= MAX_WHOLE && start + size === (isWide ? wideStart : shortStart);
    check(isAtEnd, 'the central directory does not end where its end record is');
    const directory = await this.read(start, size);
    let [next, position] = [0, 0];
    for (let index = 0; index < count; index += 1) {
      this.place = 'ZIP';
      const { length, end } = await this.readEntry(directory.subarray(next), position);
      [next, position] = [next + length, end];
    }
    this.place = 'ZIP';
    check(next === size && position === start, 'bytes of the central directory, or before it, belong to no file');
    for (const name of [...LISTED, ...UNLISTED.slice(0, 2)])
      this.checkAt(name, this.entries.has(name), 'the ZIP lacks it');
    // Events are read twice, as other files are that are small.
    this.total = [...this.entries.values(), this.entries.get('events.ndjson')].reduce(
      (sum, { packed }) => sum + packed,
      0,
    );
  }

  /** Reads an entry of the central directory, and compares what is before and after its file. The files are in its order. */
  async readEntry(record, position) {
    const [signature, , flags, method, time, crc, ...more] = numbers(record, '44224444224244');
    const [shortPacked, shortSize, nameLength, extraLength, commentAndDisk, , mode, shortOffset] = more;
    const length = 46 + nameLength + extraLength;
    check(signature === 0x02014b50 && length <= record.length, 'the central directory is wrong');
    const name = latin1(record.subarray(46, 46 + nameLength));
    this.place = name;
    const isKnown = LISTED.includes(name) || UNLISTED.includes(name) || /^files\/[0-9a-f]{64}$/.test(name);
    check(isKnown && !this.entries.has(name), 'a proof has no file of this name, or not twice');
    const extra = EXTRA.exec(hex(record.subarray(46 + nameLength, length)));
    const isWide = extra?.[1] !== undefined;
    const [size, packed, offset] = isWide ? numbers(fromHex(extra[1]), '888') : [shortSize, shortPacked, shortOffset];
    const isFile = extra !== null && commentAndDisk === 0 && [0, 8].includes(mode >>> 28);
    const isReadable = (flags | 8) === 0x808 && (method === 8 || (method === 0 && size === packed));
    check(isFile && isReadable, 'it is not a plain file');
    check(offset === position, 'other bytes are before it or in its place');
    const hasDescriptor = (flags & 8) !== 0;
    const sums = [crc, packed, size];
    const header = [0x04034b50, 20, flags, method, time, ...(hasDescriptor ? [0, 0, 0] : sums), nameLength, 0];
    const start = offset + 30 + nameLength;
    const before = await this.read(offset, start - offset);
    const after = await this.read(start + packed, hasDescriptor ? (isWide ? 24 : 16) : 0);
    const isHeader = isList(numbers(before, '4222444422'), header) && latin1(before.subarray(30)) === name;
    const isDescriptor = !hasDescriptor || isList(numbers(after, isWide ? '4488' : '4444'), [0x08074b50, ...sums]);
    check(isHeader && isDescriptor, 'the two directories of the ZIP disagree');
    this.entries.set(name, { method, start, packed, size });
    return { length, end: start + packed + after.length };
  }

  async *stored({ start, packed }) {
    for (let at = 0; at < packed; at += CHUNK) {
      const bytes = await this.read(start + at, Math.min(CHUNK, packed - at));
      this.bytesRead += bytes.length;
      this.options.progress?.(Math.min(this.bytesRead, this.total), this.total);
      yield bytes;
    }
  }

  /** The bytes of a file. They stop at the first one beyond its size. */
  async *content(name) {
    this.place = name;
    const entry = this.entries.get(name);
    let size = 0;
    for await (const bytes of entry.method === 0 ? this.stored(entry) : this.platform.inflate(this.stored(entry))) {
      size += bytes.length;
      check(size <= entry.size, 'it is longer than its size in the ZIP');
      yield bytes;
    }
    check(size === entry.size, 'it is shorter than its size in the ZIP');
  }

  async whole(name) {
    this.place = name;
    check(this.entries.get(name).size <= MAX_WHOLE, 'it is too long');
    const parts = [];
    for await (const part of this.content(name)) parts.push(part);
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  /** The lines of a file as objects. Each is as `JSON.stringify` writes it: no key is there twice. */
  async *lines(name, placeOf = (number) => `line ${number}`) {
    const decoder = fromUtf8();
    let [rest, number] = ['', 0];
    for await (const bytes of this.content(name)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = parts.pop();
      for (const line of parts) {
        number += 1;
        this.place = `${name}: ${placeOf(number)}`;
        const value = JSON.parse(line);
        const isCanonical = keysOf(value) !== '' && JSON.stringify(value) === line;
        check(isCanonical, 'expected an object as JSON.stringify writes it');
        yield value;
      }
      this.place = name;
      check(rest.length <= MAX_LINE, 'a line is too long');
    }
    check(rest + decoder.decode() === '', 'expected a line feed at its end');
  }

  // The manifest, and the files that it lists

  /** Public keys of a PEM or of a JWK set, by fingerprint: the thumbprint of RFC 7638. */
  publicKeys(text) {
    const pem = /^-----BEGIN PUBLIC KEY-----\n([\w+/=\n]+)-----END PUBLIC KEY-----\n?$/.exec(text);
    const [, point] = SPKI.exec(pem === null ? '' : hex(fromBase64(pem[1]))) ?? [];
    check(pem === null || point !== undefined, 'expected an Ed25519 key');
    const keys = pem === null ? JSON.parse(text).keys.map(({ x }) => fromBase64(x)) : [fromHex(point)];
    const jwkOf = (key) => utf8(`{"crv":"Ed25519","kty":"OKP","x":"${base64url(key)}"}`);
    return new Map(keys.map((key) => [base64url(this.digest(jwkOf(key))), key]));
  }

  async readManifest() {
    this.place = '--key';
    this.given = new Map((this.options.keys ?? []).flatMap((text) => [...this.publicKeys(text)]));
    this.own = this.publicKeys(latin1(await this.whole('signing-key.pem')));
    const [[fingerprint, key]] = this.own;
    this.fingerprint = fingerprint;
    check(this.given.size === 0 || this.given.has(fingerprint), `${fingerprint} is none of the given keys`);
    const signature = await this.whole('manifest.sig');
    const bytes = await this.whole('manifest.json');
    check(await this.platform.verify(key, signature, bytes), 'the signature does not match');
    const text = fromUtf8().decode(bytes);
    this.manifest = JSON.parse(text);
    const { files, missing, company, head } = this.manifest;
    const isCanonical = `${JSON.stringify(this.manifest, null, 2)}\n` === text;
    check(isCanonical && Object.keys(this.manifest).join() === MANIFEST_KEYS, 'expected the keys of a manifest');
    const hasObjects = keysOf(company) === 'id,name' && keysOf(head) === 'hash,sequence';
    check(hasObjects && [files, missing].every(Array.isArray), 'expected files, missing, company and head');
    for (const { path, size, sha256 } of files) {
      this.place = path;
      check(this.entries.has(path) && !UNLISTED.includes(path), 'the manifest lists it, and the ZIP lacks it');
      check(!this.listed.has(path), 'the manifest lists it twice');
      this.listed.set(path, { size, sha256 });
      check(size === this.entries.get(path).size, 'its size differs from the manifest');
      const hash = this.platform.sha256();
      for await (const part of this.content(path)) hash.update(part);
      check(hex(hash.digest()) === sha256, 'its SHA-256 differs from the manifest');
    }
    for (const name of this.entries.keys())
      this.checkAt(name, this.listed.has(name) || UNLISTED.includes(name), 'the manifest does not list it');
    this.timestamp = null;
    if (!this.entries.has('manifest.tsr')) return;
    const [, imprint, time] = TSTINFO.exec(hex(await this.whole('manifest.tsr'))) ?? [];
    check(imprint === hex(this.digest(bytes)), 'it is not a timestamp of manifest.json');
    this.timestamp = latin1(fromHex(time)).replace(/^(....)(..)(..)(..)(..)(..).*$/, '$1-$2-$3T$4:$5:$6Z');
  }

  async readFields() {
    this.fields = JSON.parse(fromUtf8().decode(await this.whole('fields.json')));
    this.types = new Map(Object.entries(this.fields.types));
    this.eventColumns = new Map(Object.entries(this.fields.event));
  }

  // People

  userOf(id) {
    if (!this.users.has(id)) this.users.set(id, { digests: new Map() });
    return this.users.get(id);
  }

  /** Compares with a user as `{uniqueId, name, kind}`: with the name of a sequence, or without one that of `asOf`. */
  person(id, sequence, kind) {
    const user = this.userOf(id);
    const holds = (record) => (sequence === undefined ? !this.late.has(record.sequence) : record.sequence <= sequence);
    return (shown) => {
      if (keysOf(shown) !== PERSON_KEYS || shown.uniqueId !== id) return false;
      if ((kind ?? user.kind ?? shown.kind) !== shown.kind) return false;
      if (user.names === undefined) return true;
      if (user.names.length === 0) return ['Former member', id].includes(shown.name);
      return shown.name === (user.names.findLast(holds) ?? user.names[0]).name;
    };
  }

  async readMembers() {
    let last = '';
    for await (const row of this.lines('members.ndjson')) {
      check(keysOf(row) === MEMBER_KEYS, 'its keys are wrong');
      const sequences = [...row.identities.map(({ sequence }) => sequence), this.manifest.head.sequence + 1];
      const isOrdered = sequences.every((sequence, index) => index === 0 || sequences[index - 1] < sequence);
      check(isOrdered, 'its identities are not those up to the head');
      check(last < row.uniqueId, 'it is not in its place');
      last = row.uniqueId;
      this.members.set(last, row);
      Object.assign(this.userOf(last), { kind: 'human', names: row.identities });
    }
    this.counts.members = this.members.size;
  }

  /** Takes what an event of a member or a key says about its user. */
  learn(sequence, { action, resource_type: type, resource_id: id }, changes) {
    const isCreate = action.endsWith('.create');
    const valueOf = (column) => (isCreate ? changes[column] : changes[column]?.to);
    if (type === 'apiKey' && isCreate) this.states.get(type).get(id).user = changes.user_id;
    const user = type === 'member' ? id : this.states.get(type).get(id).user;
    if (user === undefined) return;
    if (isCreate) this.userOf(user).kind = type === 'member' ? 'human' : 'integration';
    const [name, identity] = [valueOf('name'), valueOf('identity')];
    if (type === 'apiKey' && name !== undefined) (this.userOf(user).names ??= []).push({ sequence, name });
    if (type === 'member' && typeof identity === 'string') this.userOf(user).digests.set(sequence, identity);
  }

  // The events: the chain, each event as it is shown, and the resources at `asOf`

  async readEvents() {
    this.place = '--checkpoint';
    this.checkpoint = JSON.parse(this.options.checkpoint ?? 'null');
    const placeOf = (number) => (number === 1 ? 'line 1' : `sequence ${this.last.sequence + 1}`);
    for await (const line of this.lines('events.ndjson', placeOf)) {
      if (this.first === undefined) this.readSealBefore(line);
      else this.readEvent(line);
      if (line.sequence === this.checkpoint?.sequence) this.found = this.last;
    }
    const { first, last } = this;
    const { sequence, hash } = this.manifest.head;
    const isHead = sequence === last?.sequence && hash === last.hash && last.isInPeriod !== false;
    this.checkAt(`events.ndjson: sequence ${last?.sequence}`, isHead, 'it is not the head');
    this.counts.events = last.sequence - first.sequence;
  }

  readSealBefore(line) {
    const hasHash =
      line.sequence === 0 ? line.hash === '' : this.manifest.from !== null && /^[0-9a-f]{64}$/.test(line.hash);
    check(keysOf(line) === 'hash,sequence' && hasHash, 'expected the sequence and hash before the first event');
    [this.first, this.last] = [line, line];
  }

  readEvent({ sequence, hash, sealed, event, inPeriod, ...others }) {
    const { company, from, asOf } = this.manifest;
    check(sequence === this.last.sequence + 1 && keysOf(others) === '', 'another line is in its place');
    const digest = hex(this.digest(fromHex(this.last.hash), utf8(sealed)));
    check(hash === digest, 'the hash is not that of the one before and sealed');
    const [number, at, rowText, changesText, ...rest] = sealed.split('\n');
    const [row, changes] = [JSON.parse(rowText), JSON.parse(changesText)];
    const hasForm = number === `${sequence}` && new Date(at).toISOString() === at && rest.length === 0;
    check(hasForm && row.company_id === company.id, 'the sealed text is of another sequence or company');
    const isInPeriod = at <= asOf && (from === null || at >= from);
    const isMarked = inPeriod === (isInPeriod ? undefined : false) && (isInPeriod || this.last !== this.first);
    check(isMarked, 'inPeriod is wrong, or the first event is outside of the period');
    this.last = { sequence, hash, isInPeriod, at };
    this.apply({ sequence, at, row, changes });
    check(isSame(this.shownEvent(sequence, at, row, changes), event), 'the event differs from its sealed text');
  }

  /** Applies an event to its resource. One after `asOf` waits for one in the chain that is not. */
  apply(event) {
    const { resource_type: type, resource_id: id } = event.row;
    const resources = this.states.get(type);
    if (resources === undefined) return;
    if (!resources.has(id)) resources.set(id, { waiting: [] });
    const state = resources.get(id);
    if (type === 'member' || type === 'apiKey') this.learn(event.sequence, event.row, event.changes);
    if (event.at > this.manifest.asOf) this.late.add(event.sequence);
    state.waiting.push(event);
    for (const { at, row, changes } of this.late.has(event.sequence) ? [] : state.waiting.splice(0)) {
      const isCreate = row.action.endsWith('.create');
      const to = Object.entries(changes).map(([column, change]) => [column, change?.to]);
      state.values = isFullRow(row.action) ? changes : { ...state.values, ...Object.fromEntries(to) };
      state.isThere = isFullRow(row.action) ? isCreate : state.isThere;
      state.version = isCreate ? changes.version : state.version + 1;
      Object.assign(state, { updatedAt: at, by: row.user_id, kind: row.user_kind });
    }
  }

  shownValue(kind, value, sequence, userKind) {
    if (value === null || kind === 'plain') return value;
    if (kind === 'people') return value.map((id) => this.person(id, sequence));
    return kind === 'time' ? new Date(value).toISOString() : this.person(value, sequence, userKind);
  }

  /** The fields of a full row, or of the changes of one. */
  shownFields(type, values, isFull, sequence) {
    const { columns, derived } = this.types.get(type) ?? { columns: {}, derived: [] };
    const shown = {};
    for (const [column, value] of Object.entries(values)) {
      check(Object.hasOwn(columns, column), `fields.json lacks ${column} of ${type}`);
      const { field, kind } = columns[column];
      const one = (stored) => this.shownValue(kind, stored, sequence);
      if (field !== null) shown[field] = isFull ? one(value) : { from: one(value.from), to: one(value.to) };
    }
    for (const { field, of, equals } of isFull ? derived : []) shown[field] = shown[of] === equals;
    return shown;
  }

  shownEvent(sequence, at, row, changes) {
    const values = { ...row, occurred_at: at, changes };
    for (const column of Object.keys(values)) check(this.eventColumns.has(column), `fields.json lacks ${column}`);
    const shown = { sequence, deleted: row.action.endsWith('.delete') };
    for (const [column, { field, kind }] of this.eventColumns) {
      if (field === null || column === 'user_kind') continue;
      const value = this.shownValue(kind, values[column] ?? null, sequence, row.user_kind);
      const [name, part] = field.split('.');
      if (part === undefined) shown[name] = value;
      else shown[name] = value === null ? (shown[name] ?? null) : { ...shown[name], [part]: value };
    }
    return { ...shown, changes: this.shownFields(row.resource_type, changes, isFullRow(row.action), sequence) };
  }

  // The registers

  /** A resource as it was at `asOf`. */
  shownState(type, { values, version, updatedAt, by, kind }) {
    const { columns } = this.types.get(type);
    const defaults = Object.entries(columns).filter(([, column]) => column.default !== undefined);
    const missing = Object.fromEntries(defaults.map(([column, { default: value }]) => [column, value]));
    const shown = this.shownFields(type, { ...missing, ...values }, true);
    if (!Object.hasOwn(columns, 'version')) return shown;
    return { ...shown, version, updatedAt, updatedBy: this.person(by, undefined, kind) };
  }

  /** The rows that a register must have, in their order. */
  *expectedRows(type) {
    const { frameworks } = this.manifest;
    const there = [...this.states.get(type)].filter(([, { isThere }]) => isThere);
    for (const [, state] of there.toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))) {
      const row = this.shownState(type, state);
      const isOfTask = row.resource?.type !== 'task' || this.rows.tasks.has(row.resource.uniqueId);
      if (frameworks === null || (type === 'task' ? frameworks.includes(row.framework) : isOfTask)) yield row;
    }
  }

  /** The columns of a row in the CSV file of its register. */
  csvColumns(register, row) {
    if (register === 'vendors') return row;
    const { frameworks, departments, gaps } = this.rows;
    const [frameworkName, departmentName] = [frameworks.get(row.framework), departments.get(row.departmentId)];
    return { ...row, frameworkName, departmentName, gapTitles: row.gaps.map((id) => gaps.get(id)) };
  }

  async checkRegister(register) {
    const [name, csvName] = [`${register}.ndjson`, `${register}.csv`];
    const isRebuilt = this.manifest.from === null;
    const expected = isRebuilt ? this.expectedRows(typeOf(register)) : [].values();
    const rows = new Map();
    const csv = LISTED.includes(csvName) ? this.platform.sha256() : undefined;
    let [count, header] = [0, ''];
    for await (const row of this.lines(name)) {
      count += 1;
      const { value, done } = expected.next();
      check(!isRebuilt || !done, 'the events give no more rows');
      if (isRebuilt) checkFields(value, row);
      rows.set(row.uniqueId ?? row.id, register === 'evidence' ? row : (row.name ?? row.title));
      if (csv === undefined) continue;
      const columns = this.csvColumns(register, row);
      if (count === 1) {
        header = Object.keys(row).join();
        csv.update(utf8('\ufeff'));
        csv.update(csvRecord(Object.keys(columns)));
      }
      check(Object.keys(row).join() === header, 'its keys are not those of the first row');
      csv.update(csvRecord(Object.values(columns)));
    }
    this.checkAt(`${name}: line ${count + 1}`, expected.next().done, 'a row is missing');
    this.rows[register] = rows;
    this.counts[register] = count;
    if (csv === undefined) return;
    const isCsv =
      count === 0
        ? /^\xef\xbb\xbf[^\r\n]+\r\n$/.test(latin1(await this.whole(csvName)))
        : hex(csv.digest()) === this.listed.get(csvName).sha256;
    this.checkAt(csvName, isCsv, `it differs from ${name}`);
  }

  /** Compares the members with the events, and their identities with the digests in these. */
  checkMembers() {
    let line = 0;
    for (const [id, { name, kind, identities, role, frameworks, createdAt, endedAt }] of this.members) {
      line += 1;
      this.place = `members.ndjson: line ${line}`;
      const { digests } = this.userOf(id);
      for (const { sequence, name: recorded, email, salt, proved, ...others } of identities) {
        const isMarked = proved === sequence > this.first.sequence && keysOf(others) === '';
        check(isMarked, `sequence ${sequence}: proved is wrong`);
        const isProved = digests.get(sequence) === hex(this.digest(utf8(`${salt}\n${recorded}\n${email}`)));
        check(!proved || isProved, `sequence ${sequence}: the identity is not that of the event`);
      }
      const known = new Set(identities.map(({ sequence }) => sequence));
      for (const sequence of known.size === 0 ? [] : digests.keys())
        check(known.has(sequence) || this.late.has(sequence), `the identity of sequence ${sequence} is missing`);
      check(this.person(id)({ uniqueId: id, name, kind }), 'the name is not that of asOf');
      if (this.manifest.from !== null) continue;
      const state = this.states.get('member').get(id);
      check(state?.isThere !== undefined, 'the events have no such member');
      const past = this.shownState('member', state);
      const expected = { role: past.endedAt === null ? past.role : null, frameworks: past.frameworks };
      Object.assign(expected, { createdAt: past.createdAt, endedAt: past.endedAt });
      checkFields(expected, { role, frameworks, createdAt, endedAt });
    }
    for (const [id, { isThere }] of this.states.get('member'))
      this.checkAt('members.ndjson', isThere === undefined || this.members.has(id), `${id} is missing`);
  }

  /** Each file of evidence is in the ZIP or said to be missing, and no other. */
  checkEvidence() {
    const { missing, evidence } = this.manifest;
    const gone = new Map(missing.map(({ sha256, size }) => [`files/${sha256}`, { size, sha256 }]));
    const named = new Set();
    for (const { kind, size, sha256 } of this.rows.evidence.values()) {
      if (!evidence || kind !== 'file') continue;
      const path = `files/${sha256}`;
      named.add(path);
      const file = this.listed.get(path) ?? gone.get(path);
      const isOnce = file !== undefined && this.listed.has(path) !== gone.has(path);
      this.checkAt(path, isOnce, 'expected it in the ZIP or in missing');
      check(file.size === size && file.sha256 === sha256, 'it is not the file of the evidence');
    }
    for (const path of [...this.listed.keys(), ...gone.keys()])
      this.checkAt(path, !path.startsWith('files/') || named.has(path), 'no evidence names it');
  }

  async checkCheckpoint() {
    this.place = '--checkpoint';
    if (this.checkpoint === null) return null;
    const { signature, keyId, company, sequence, hash, at } = this.checkpoint;
    const { first, last, found } = this;
    check(company === this.manifest.company.id, `it is of company ${company}`);
    check(found !== undefined, `sequence ${sequence} is not in the proof: ${first.sequence} to ${last.sequence}`);
    check(found.hash === hash && [at, undefined].includes(found.at), `sequence ${sequence} is another event`);
    const key = this.own.get(keyId) ?? this.given.get(keyId);
    const text = utf8(JSON.stringify({ company, sequence, hash, at }));
    const isSigned = key === undefined || (await this.platform.verify(key, fromBase64(signature), text));
    check(isSigned, 'its signature does not match');
    return { sequence, isSignatureChecked: key !== undefined };
  }
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
