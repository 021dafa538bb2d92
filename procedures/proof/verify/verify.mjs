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
const REGISTERS = 'frameworks departments gaps vendors requirements tasks comments evidence keys'.split(' ');
const typeOf = (register) => ({ evidence: 'evidence', keys: 'apiKey' })[register] ?? register.slice(0, -1);
const OTHERS =
  'README.txt report.html tasks.csv vendors.csv requirements.csv fields.json signing-key.pem verify.mjs'.split(' ');
const LISTED = new Set([...[...REGISTERS, 'members', 'events'].map((register) => `${register}.ndjson`), ...OTHERS]);
/** Files that a proof has if its fields.json has the rule for the status of requirements. Versions before had neither. */
const OF_REQUIREMENTS = new Set(['requirements.csv', 'requirements.ndjson']);
const UNLISTED = new Set(['manifest.json', 'manifest.sig', 'manifest.tsr']);
const MANIFEST_KEYS = 'product,company,from,asOf,frameworks,evidence,createdAt,head,files,missing';
const PERSON_KEYS = 'kind,name,uniqueId';
const MEMBER_KEYS = 'createdAt,endedAt,frameworks,identities,kind,name,role,uniqueId';
/** Fields that are null in a register, because no event has them. */
export const UNRECORDED = {
  task: ['evidenceCount', 'next'],
  vendor: ['evidenceCount'],
  requirement: ['tasks', 'evidenceCount'],
};
/** Fields that registers have and events have not, by the name of the rule in fields.json: each follows from the fields of its row. */
export const RULES = {
  requirement: ({ assessable, applicable, assessment }) => {
    if (!assessable) return null;
    return applicable ? (assessment?.result ?? 'not_assessed') : 'not_applicable';
  },
};
/** An Ed25519 key as PEM, and the extra fields of a file in a ZIP in hexadecimal. */
const PEM = /^-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA([\w+/]{43})=\n-----END PUBLIC KEY-----\n?$/;
const EXTRA = /^(?:55540500.{10})?(?:01001800(.{48}))?$/;
/** Object identifiers in a timestamp, in hexadecimal: a CMS SignedData, its TSTInfo, and SHA-256. */
const [SIGNED_DATA, TST_INFO, SHA256] = ['2a864886f70d010702', '2a864886f70d0109100104', '608648016503040201'];
/** Size of a read, and the most bytes of a line, of the directory and the manifest, of a timestamp, and of any other whole file. */
const [CHUNK, MAX_LINE, MAX_MANIFEST, MAX_TIMESTAMP, MAX_WHOLE] = [2 ** 18, 2 ** 24, 2 ** 28, 2 ** 16, 2 ** 20];
/** Characters and names of files that Windows refuses, and characters that are invisible or change the direction of text. */
const REFUSED = /["*/:<>?\\|\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i;
const MAX_NAME_BYTES = 200;
/** Starts of formulas: at the start of a cell, and behind what a reader with another delimiter takes for its end. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
const FORMULA_INSIDE = /([;\t\r\n] *)(?='*(?:[=+\-@\t＝＋－＠]|\r(?!\n)))/g;

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const latin1 = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
const toUrl = (base64) => base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const base64url = (bytes) => toUrl(btoa(latin1(bytes)));
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const utf8 = (text) => new TextEncoder().encode(text);
const fromUtf8 = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const keysOf = (value) => (typeof value === 'object' && value !== null ? Object.keys(value).toSorted().join() : '');
const printable = (text) => text.replaceAll(/\p{C}/gu, '?').slice(0, 300);
const isList = (list, other) => list.join() === other.join();

function check(holds, message) {
  if (!holds) throw new Error(message);
}

const isTime = (value) => !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
const isHash = (value) => /^[0-9a-f]{64}$/.test(value);
const isId = (value) => Number.isSafeInteger(value) && value >= 0;

/** The name that a file has in a proof: what Windows refuses becomes `_`, and a long name is cut before its extension. */
export function fileNameOf(name) {
  const allowed = name.replace(REFUSED, '_').replace(DEVICE, '_');
  const [extension] = /\.[^. ]{1,16}$/.exec(allowed) ?? [''];
  const stem = Array.from(allowed.slice(0, allowed.length - extension.length));
  while (utf8(stem.join('') + extension).length > MAX_NAME_BYTES) stem.pop();
  return (stem.join('') + extension).replace(/[. ]+$/, (end) => '_'.repeat(end.length));
}

/** Tags and contents of the DER values that follow each other. */
function readDer(bytes) {
  const values = [];
  for (let at = 0; at < bytes.length;) {
    const [tag, short] = bytes.subarray(at);
    const start = at + 2 + (short > 0x80 ? short - 0x80 : 0);
    const length = short > 0x80 ? bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0) : short;
    at = start + length;
    check(short !== 0x80 && at <= bytes.length, 'it is not a timestamp in DER');
    values.push({ tag, content: bytes.subarray(start, at) });
  }
  return values;
}

/** The values inside of nested DER values, each given by its position and its tag. */
const derAt = (bytes, ...path) =>
  readDer(
    path.reduce((content, [index, tag]) => {
      const value = readDer(content)[index];
      check(value?.tag === tag, 'it is not a timestamp of RFC 3161');
      return value.content;
    }, bytes),
  );

/** Digest and time of a `TimeStampResp`. */
function readTimestamp(bytes) {
  const signedData = derAt(bytes, [0, 0x30], [1, 0x30]);
  const content = derAt(bytes, [0, 0x30], [1, 0x30], [1, 0xa0], [0, 0x30], [2, 0x30]);
  const info = [
    [0, 0x30],
    [1, 0x30],
    [1, 0xa0],
    [0, 0x30],
    [2, 0x30],
    [1, 0xa0],
    [0, 0x04],
    [0, 0x30],
  ];
  const [, , , , time] = derAt(bytes, ...info);
  const [, imprint] = derAt(bytes, ...info, [2, 0x30]);
  const [algorithm] = derAt(bytes, ...info, [2, 0x30], [0, 0x30]);
  const types = [signedData[0], content[0], algorithm].map((type) => hex(type?.content ?? []));
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(latin1(time?.content ?? [])) ?? [];
  check(isList(types, [SIGNED_DATA, TST_INFO, SHA256]) && parts.length > 0, 'it is not a timestamp of RFC 3161');
  const [year, month, day, hour, minute, second] = parts;
  return { digest: hex(imprint?.content ?? []), time: `${year}-${month}-${day}T${hour}:${minute}:${second}Z` };
}

/** Little-endian numbers of these widths in bytes. */
function numbers(bytes, widths) {
  let end = 0;
  const partOf = (width) => bytes.subarray(end, (end += Number(width)));
  return [...widths].map((width) => partOf(width).reduceRight((sum, byte) => sum * 256 + byte, 0));
}

/** Files of a ZIP. Each byte belongs to a file or to a directory. */
class Zip {
  /** What is checked now: errors name it. */
  place = 'ZIP';
  entries = new Map();
  done = 0;

  constructor(source, platform, progress) {
    Object.assign(this, { source, platform, progress, total: source.size });
  }

  checkAt(place, holds, message) {
    this.place = place;
    check(holds, message);
  }

  async read(start, length) {
    check(start >= 0 && start + length <= this.source.size, 'the ZIP breaks off');
    this.done = Math.min(this.done + length, this.total);
    this.progress?.(this.done, this.total);
    return this.source.read(start, start + length);
  }

  /** Reads the end records, which are the last bytes, and the central directory before them. */
  async open() {
    const [shortStart, wideStart] = [this.source.size - 22, this.source.size - 98];
    const [signature, disks, here, ...short] = numbers(await this.read(shortStart, 22), '4422442');
    const limits = [0xffff, 0xffffffff, 0xffffffff];
    const isWide = limits.some((limit, at) => short[at] === limit);
    const wide = isWide ? numbers(await this.read(wideStart, 76), '4844488884484') : [];
    const [count, size, start] = limits.map((limit, at) => (short[at] === limit ? wide[6 + at] : short[at]));
    const wideEnd = [0x06064b50, 44, wide[2], 0, 0, count, count, size, start, 0x07064b50, 0, wideStart, 1];
    const isEnd = isList([signature, disks, here, short[3]], [0x06054b50, 0, short[0], 0]);
    const isBefore = start + size === (isWide ? wideStart : shortStart) && size <= MAX_MANIFEST;
    check(isEnd && isBefore && (!isWide || isList(wide, wideEnd)), 'its end records are wrong, or not its last bytes');
    const directory = await this.read(start, size);
    let [next, position] = [0, 0];
    for (let index = 0; index < count; index += 1) {
      const { length, end } = await this.readEntry(directory.subarray(next), position);
      [next, position] = [next + length, end];
    }
    this.checkAt('ZIP', next === size && position === start, 'bytes belong to no file');
    for (const name of [...LISTED, 'manifest.json', 'manifest.sig'])
      this.checkAt(name, this.entries.has(name) || OF_REQUIREMENTS.has(name), 'the ZIP lacks it');
    this.total += this.entries.get('events.ndjson').packed; // is read twice, as other files are that are small
  }

  /** Reads an entry of the central directory, and compares it with what is before and after the bytes of its file. */
  async readEntry(record, position) {
    const [signature, , flags, method, time, crc, ...more] = numbers(record, '44224444224244');
    const [shortPacked, shortSize, nameLength, extraLength, commentAndDisk, , mode, shortOffset] = more;
    const length = 46 + nameLength + extraLength;
    this.checkAt('ZIP', signature === 0x02014b50 && length <= record.length, 'the central directory is wrong');
    const nameBytes = record.subarray(46, 46 + nameLength);
    const name = fromUtf8().decode(nameBytes);
    const isKnown = LISTED.has(name) || UNLISTED.has(name) || /^files\/[0-9a-f]{64}(?:\/[^/]+)?$/.test(name);
    this.checkAt(name, isKnown && !this.entries.has(name), 'a proof has no file of this name, or not twice');
    const [extra, wide] = EXTRA.exec(hex(record.subarray(46 + nameLength, length))) ?? [];
    const [size, packed, offset] = wide ? numbers(fromHex(wide), '888') : [shortSize, shortPacked, shortOffset];
    const isFile = extra !== undefined && commentAndDisk === 0 && [0, 8].includes(mode >>> 28);
    const isReadable = flags === 0x808 && (method === 8 || (method === 0 && size === packed));
    check(isFile && isReadable, 'it is not a plain file');
    check(offset === position, 'other bytes are before it or in its place');
    const start = offset + 30 + nameLength;
    const end = start + packed + (wide ? 24 : 16);
    const before = await this.read(offset, start - offset);
    const after = await this.read(start + packed, end - start - packed);
    const header = [0x04034b50, 20, flags, method, time, 0, 0, 0, nameLength, 0];
    const isHeader = isList(numbers(before, '4222444422'), header) && isList(before.subarray(30), nameBytes);
    const isDescriptor = isList(numbers(after, wide ? '4488' : '4444'), [0x08074b50, crc, packed, size]);
    check(isHeader && isDescriptor, 'the two directories of the ZIP disagree');
    this.entries.set(name, { method, start, packed, size });
    return { length, end };
  }

  async *stored({ start, packed }) {
    for (let at = 0; at < packed; at += CHUNK) yield this.read(start + at, Math.min(CHUNK, packed - at));
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

  async whole(name, maxSize = MAX_WHOLE) {
    this.checkAt(name, this.entries.get(name).size <= maxSize, `it has more than ${maxSize} bytes`);
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
        this.place = `${name}: ${placeOf((number += 1))}`;
        const row = JSON.parse(line);
        check(keysOf(row) !== '' && JSON.stringify(row) === line, 'expected an object as JSON.stringify writes it');
        yield row;
      }
      this.checkAt(name, rest.length <= MAX_LINE, 'a line is too long');
    }
    check(rest + decoder.decode() === '', 'expected a line feed at its end');
  }
}

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
  for (const field of Object.keys({ ...expected, ...shown })) {
    const value = Object.hasOwn(expected, field) ? expected[field] : null;
    check(Object.hasOwn(shown, field) && isSame(value ?? null, shown[field]), `${field} is not as the events give it`);
  }
}

/** @param guardsInside false for the CSV of versions before 0.16.0, where only the start of a cell was guarded */
function csvCell(value, guardsInside) {
  if (value === null || value === undefined) return '';
  const shown = keysOf(value) === PERSON_KEYS ? value.name : value;
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  const inside = guardsInside ? text.replace(FORMULA_INSIDE, "$1'") : text;
  const guarded = typeof shown !== 'number' && FORMULA.test(text) ? `'${inside}` : inside;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
const csvRecord = (values, guardsInside) => `${values.map((value) => csvCell(value, guardsInside)).join(',')}\r\n`;

/** Verifies a proof, and returns what it holds. `verify.d.mts` has the types. */
export async function verifyProof(source, platform, options = {}) {
  const zip = new Zip(source, platform, options.progress);
  try {
    return await verify(zip, platform, options);
  } catch (error) {
    throw new ProofError(printable(`${zip.place}: ${error.message}`));
  }
}

async function verify(zip, platform, { keys = [], checkpoint: checkpointText = 'null' }) {
  await zip.open();
  function digest(...parts) {
    const hash = platform.sha256();
    for (const part of parts) hash.update(typeof part === 'string' ? utf8(part) : part);
    return hash.digest();
  }

  /** A public key by its fingerprint, the thumbprint of RFC 7638. @param x its bytes in base64url */
  const keyOf = (x) => [base64url(digest(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)), fromBase64(x)];

  /** The public keys of a PEM, or of a JWK set. */
  function publicKeys(text) {
    const pem = PEM.exec(text);
    if (pem !== null) return [keyOf(toUrl(pem[1]))];
    const points = JSON.parse(text).keys.flatMap(({ kty, crv, x }) => (kty === 'OKP' && crv === 'Ed25519' ? [x] : []));
    check(points.length > 0, 'it has no public key of the kind Ed25519');
    return points.map(keyOf);
  }

  // The manifest, and the files that it lists
  zip.place = '--key';
  const given = new Map(keys.flatMap(publicKeys));
  const pem = PEM.exec(latin1(await zip.whole('signing-key.pem')));
  check(pem !== null, 'expected one public key of the kind Ed25519 in PEM');
  const own = keyOf(toUrl(pem[1]));
  const [fingerprint, key] = own;
  check(given.size === 0 || given.has(fingerprint), `${fingerprint} is none of the given keys`);
  const signature = await zip.whole('manifest.sig');
  const manifestBytes = await zip.whole('manifest.json', MAX_MANIFEST);
  check(await platform.verify(key, signature, manifestBytes), 'the signature does not match');
  const manifestText = fromUtf8().decode(manifestBytes);
  const { files, ...manifest } = JSON.parse(manifestText);
  const { company, from, asOf, frameworks, evidence, head, missing } = manifest;
  const isCanonical = `${JSON.stringify(JSON.parse(manifestText), null, 2)}\n` === manifestText;
  const hasKeys = Object.keys(JSON.parse(manifestText)).join() === MANIFEST_KEYS;
  const hasObjects = keysOf(company) === 'id,name' && keysOf(head) === 'hash,sequence';
  check(isCanonical && hasKeys && hasObjects && [files, missing].every(Array.isArray), 'expected a manifest');
  const isWellFormed = {
    company: isId(company.id) && typeof company.name === 'string',
    from: from === null || (isTime(from) && from <= asOf),
    asOf: isTime(asOf),
    frameworks: frameworks === null || (Array.isArray(frameworks) && frameworks.every(isId)),
    evidence: typeof evidence === 'boolean',
    createdAt: isTime(manifest.createdAt),
    files: files.every((file) => keysOf(file) === 'path,sha256,size' && isId(file.size)),
    missing: missing.every((file) => keysOf(file) === 'sha256,size' && isId(file.size) && isHash(file.sha256)),
  };
  for (const [field, holds] of Object.entries(isWellFormed)) check(holds, `${field} is malformed`);
  const listed = new Map();
  for (const { path, size, sha256 } of files) {
    const entry = UNLISTED.has(path) ? undefined : zip.entries.get(path);
    zip.checkAt(path, entry !== undefined, 'the manifest lists it, and the ZIP lacks it');
    check(!listed.has(path), 'the manifest lists it twice');
    listed.set(path, { size, sha256 });
    const hash = platform.sha256();
    for await (const part of zip.content(path)) hash.update(part);
    check(hex(hash.digest()) === sha256 && entry.size === size, 'its SHA-256 or its size differs from the manifest');
  }
  for (const name of zip.entries.keys())
    zip.checkAt(name, listed.has(name) || UNLISTED.has(name), 'the manifest does not list it');
  const hasTimestamp = zip.entries.has('manifest.tsr');
  const stamp = hasTimestamp ? readTimestamp(await zip.whole('manifest.tsr', MAX_TIMESTAMP)) : undefined;
  check(!hasTimestamp || stamp.digest === hex(digest(manifestBytes)), 'it is not a timestamp of manifest.json');
  const timestamp = stamp?.time ?? null;
  const fields = JSON.parse(fromUtf8().decode(await zip.whole('fields.json')));
  check(keysOf(fields) === 'event,types', 'expected the fields of events and of types');
  const types = new Map(Object.entries(fields.types));
  for (const { rule } of [...types.values()].flatMap(({ derived }) => derived))
    check(rule === undefined || Object.hasOwn(RULES, rule), `the rule ${rule} is unknown`);
  const hasRequirements = types.get('requirement')?.derived.some(({ rule }) => rule !== undefined) === true;
  for (const name of OF_REQUIREMENTS)
    zip.checkAt(
      name,
      listed.has(name) === hasRequirements,
      hasRequirements ? 'the ZIP lacks it' : 'fields.json has no rule for it',
    );
  zip.place = 'fields.json';
  for (const { columns, derived } of [{ columns: fields.event, derived: [] }, ...types.values()]) {
    const names = Object.values(columns).map(({ field }) => field ?? '');
    for (const name of [
      ...Object.keys(columns),
      ...[...names, ...derived.map(({ field }) => field)].join('.').split('.'),
    ])
      check(!(name in {}), `${name} is no name of a field`);
  }
  const noColumns = Object.fromEntries(Object.keys(fields.event).map((column) => [column, null]));
  zip.place = '--checkpoint';
  const checkpoint = JSON.parse(checkpointText);

  // The users: kind, names, and digests of identities by sequence, as far as they are known
  const users = new Map([[OPERATOR, { kind: 'human', names: [{ sequence: 0, name: 'Operator' }] }]]);
  const userOf = (id) => users.get(id) ?? users.set(id, { digests: new Map() }).get(id);
  const late = new Set(); // sequences of events after `asOf`

  /** Compares with a user as `{uniqueId, name, kind}`: with the name of a sequence, or without one that of `asOf`. */
  function person(id, sequence, kind) {
    const holds = (one) => (sequence === undefined ? !late.has(one.sequence) : one.sequence <= sequence);
    return (shown) => {
      const { names, kind: known = shown?.kind } = userOf(id);
      if (keysOf(shown) !== PERSON_KEYS || shown.uniqueId !== id || shown.kind !== (kind ?? known)) return false;
      if (names?.length === 0) return ['Former member', id].includes(shown.name);
      return names === undefined || shown.name === (names.findLast(holds) ?? names[0]).name;
    };
  }

  const members = [];
  for await (const row of zip.lines('members.ndjson')) {
    const isInPlace = keysOf(row) === MEMBER_KEYS && !(members.at(-1)?.uniqueId >= row.uniqueId);
    const sequences = [...row.identities.map(({ sequence }) => sequence), head.sequence + 1];
    const isOrdered = sequences.every((sequence, index) => index === 0 || sequences[index - 1] < sequence);
    check(isInPlace && isOrdered, 'it, or one of its identities, is not in its place, or has other keys');
    members.push(row);
    users.set(row.uniqueId, { kind: 'human', names: row.identities, digests: new Map(), isMember: true });
  }

  // The events: the chain, each event as it is shown, and the resources
  const states = new Map([...REGISTERS, 'members'].map((register) => [typeOf(register), new Map()]));
  let [first, last, found] = [];

  /** The fields of a full row, or of the changes of one. */
  function shownFields({ columns, derived = [] }, values, isFull, sequence, userKind) {
    const shown = {};
    for (const [column, stored] of Object.entries(values)) {
      check(Object.hasOwn(columns, column), `fields.json lacks ${column}`);
      const { field, kind } = columns[column];
      const one = (value) => {
        if (value === null || kind === 'plain') return value;
        if (kind === 'time') return new Date(value).toISOString();
        if (kind === 'review') return { ...value, by: person(value.by, sequence) };
        return kind === 'person' ? person(value, sequence, userKind) : value.map((id) => person(id, sequence));
      };
      if (field !== null) shown[field] = isFull ? one(stored) : { from: one(stored.from), to: one(stored.to) };
    }
    for (const { field, of, equals, rule } of isFull ? derived : [])
      if (rule === undefined) shown[field] = shown[of] === equals;
    return shown;
  }

  function shownEvent(sequence, at, row, changes) {
    const values = { ...noColumns, ...row, occurred_at: at, changes };
    const shown = { sequence, deleted: row.action.endsWith('.delete') };
    const paths = shownFields({ columns: fields.event }, values, true, sequence, row.user_kind);
    for (const [path, value] of Object.entries(paths)) {
      const [name, part] = path.split('.');
      if (part === undefined) shown[name] = value;
      else if (typeof shown[name] !== 'function')
        shown[name] = value === null ? (shown[name] ?? null) : { ...shown[name], [part]: value };
    }
    const type = types.get(row.resource_type) ?? { columns: {} };
    return { ...shown, changes: shownFields(type, changes, /\.(create|delete)$/.test(row.action), sequence) };
  }

  /** Keeps a resource as it is now, and as it was after its last event that is not after `asOf`. */
  function apply(sequence, at, row, changes) {
    const { action, resource_type: type, resource_id: id, user_id: by, user_kind: kind } = row;
    const { now: before, past } = states.get(type)?.get(id) ?? {};
    const [isCreate, isDelete] = [action.endsWith('.create'), action.endsWith('.delete')];
    const to = Object.fromEntries(Object.entries(changes).map(([column, change]) => [column, change?.to]));
    const values = isCreate || isDelete ? changes : { ...before?.values, ...to };
    const version = isCreate ? changes.version : before?.version + 1;
    const isThere = isCreate || (!isDelete && before?.isThere);
    const now = { values, version, isThere, updatedAt: at, by, kind };
    states.get(type)?.set(id, { now, past: late.has(sequence) ? past : now });
    if (type !== 'member' && type !== 'apiKey') return;
    const user = userOf(type === 'member' ? id : values.user_id);
    if (isCreate) user.kind = type === 'member' ? 'human' : 'integration';
    const { name, identity } = isCreate ? changes : to;
    if (type === 'member' && typeof identity === 'string') user.digests.set(sequence, identity);
    if (type === 'apiKey' && name !== undefined) (user.names ??= []).push({ sequence, name });
  }

  function readSealBefore(line) {
    const hasHash = line.sequence === 0 ? line.hash === '' : from !== null && isHash(line.hash);
    check(keysOf(line) === 'hash,sequence' && hasHash, 'expected the sequence and hash before the first event');
    [first, last] = [line, line];
  }

  function checkEvent({ sequence, hash, sealed, event, inPeriod, ...others }) {
    check(sequence === last.sequence + 1 && keysOf(others) === '', 'another line is in its place');
    check(hash === hex(digest(fromHex(last.hash), sealed)), 'the hash is not that of the one before and sealed');
    const [number, at, rowText, changesText, ...rest] = sealed.split('\n');
    const [row, changes] = [JSON.parse(rowText), JSON.parse(changesText)];
    const hasForm = number === `${sequence}` && new Date(at).toISOString() === at && rest.length === 0;
    check(hasForm && row.company_id === company.id, 'the sealed text is of another sequence or company');
    const isInPeriod = at <= asOf && (from === null || at >= from);
    const isMarked = inPeriod === (isInPeriod ? undefined : false) && (isInPeriod || last !== first);
    check(isMarked, 'inPeriod is wrong, or the first event is outside of the period');
    last = { sequence, hash, isOutside: !isInPeriod, at };
    if (at > asOf) late.add(sequence);
    apply(sequence, at, row, changes);
    check(isSame(shownEvent(sequence, at, row, changes), event), 'the event differs from its sealed text');
  }

  const placeOf = () => (last === undefined ? 'line 1' : `sequence ${last.sequence + 1}`);
  for await (const line of zip.lines('events.ndjson', placeOf)) {
    if (last === undefined) readSealBefore(line);
    else checkEvent(line);
    if (line.sequence === checkpoint?.sequence) found = last;
  }
  const isHead = head.sequence === last?.sequence && head.hash === last.hash && !last.isOutside;
  zip.checkAt(`events.ndjson: sequence ${last?.sequence}`, isHead, 'it is not the head');

  // The registers, and those as CSV
  const counts = { members: members.length, events: last.sequence - first.sequence };
  const rowsOf = {};

  /** A resource as it was at `asOf`. */
  function shownState(type, { values, version, updatedAt, by, kind }) {
    const { columns, derived } = types.get(type);
    const optional = Object.entries(columns).filter(([, column]) => column.default !== undefined);
    const defaults = Object.fromEntries(optional.map(([column, { default: value }]) => [column, value]));
    const shown = shownFields({ columns, derived }, { ...defaults, ...values }, true);
    if (Object.hasOwn(columns, 'version'))
      Object.assign(shown, { version, updatedAt, updatedBy: person(by, undefined, kind) });
    for (const { field, rule } of derived) if (rule !== undefined) shown[field] = RULES[rule](shown);
    return shown;
  }

  /** Names of the fields that a row of a register may have. */
  function knownFields(type) {
    const { columns, derived } = types.get(type) ?? { columns: {}, derived: [] };
    const shown = [...Object.values(columns), ...derived].map(({ field }) => field);
    const ofVersion = Object.hasOwn(columns, 'version') ? ['version', 'updatedAt', 'updatedBy'] : [];
    return new Set([...shown, ...ofVersion, ...(UNRECORDED[type] ?? [])]);
  }

  /** What the CSV of a register has after the fields. */
  const namesOf = {
    tasks: ({ framework, departmentId, gaps }) => ({
      frameworkName: rowsOf.frameworks.get(framework),
      departmentName: rowsOf.departments.get(departmentId),
      gapTitles: gaps.map((id) => rowsOf.gaps.get(id)),
    }),
    requirements: ({ framework, parent }) => ({
      frameworkName: rowsOf.frameworks.get(framework),
      parentRef: refs.get(parent),
    }),
  };

  /** The rows that a register must have, in their order. */
  function* expectedRows(type) {
    const there = [...states.get(type)].filter(([, { past }]) => past?.isThere);
    for (const [, { past }] of there.toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))) {
      const row = shownState(type, past);
      const { type: parent, uniqueId } = row.resource ?? {};
      const isOfChosen = { task: rowsOf.tasks, requirement: rowsOf.requirements }[parent]?.has(uniqueId) !== false;
      const isChosen = ['task', 'requirement'].includes(type) ? frameworks?.includes(row.framework) : isOfChosen;
      if (frameworks === null || isChosen) yield row;
    }
  }

  const refs = new Map(); // of requirements, as one may stand before its parent
  if (hasRequirements) for await (const { uniqueId, ref } of zip.lines('requirements.ndjson')) refs.set(uniqueId, ref);

  for (const register of REGISTERS) {
    const [name, csvName] = [`${register}.ndjson`, `${register}.csv`];
    const expectations = from === null ? expectedRows(typeOf(register)) : undefined;
    const [csv, csvBefore, rows] = [platform.sha256(), platform.sha256(), new Map()];
    rowsOf[register] = rows;
    if (!listed.has(name)) {
      for (const { uniqueId, title } of expectations ?? []) rows.set(uniqueId, title);
      continue;
    }
    const known = knownFields(typeOf(register));
    let header;
    for await (const row of zip.lines(name)) {
      for (const field of Object.keys(row)) check(known.has(field), `${field} is no field of its type`);
      const { value: expected, done } = expectations?.next() ?? {};
      check(!done, 'the events give no more rows');
      if (expected !== undefined) checkFields(expected, row);
      check(!rows.has(row.uniqueId ?? row.id), 'it is there twice');
      rows.set(row.uniqueId ?? row.id, register === 'evidence' ? row : (row.name ?? row.title));
      if (!listed.has(csvName)) continue;
      const cells = { ...row, ...namesOf[register]?.(row) };
      const isFirst = header === undefined;
      header ??= Object.keys(row).join();
      check(Object.keys(row).join() === header, 'its keys are not those of the first row');
      for (const [hash, guardsInside] of [
        [csv, true],
        [csvBefore, false],
      ]) {
        if (isFirst) hash.update(utf8(`\ufeff${csvRecord(Object.keys(cells))}`));
        hash.update(utf8(csvRecord(Object.values(cells), guardsInside)));
      }
    }
    zip.checkAt(`${name}: line ${rows.size + 1}`, expectations?.next().done !== false, 'a row is missing');
    counts[register] = rows.size;
    if (!listed.has(csvName)) continue;
    const isHeader = /^\xef\xbb\xbf[^\r\n]+\r\n$/.test(rows.size > 0 ? '' : latin1(await zip.whole(csvName)));
    const digests = [csv, csvBefore].map((hash) => hex(hash.digest()));
    const isCsv = rows.size > 0 ? digests.includes(listed.get(csvName).sha256) : isHeader;
    zip.checkAt(csvName, isCsv, `it differs from ${name}`);
  }

  // The members, with their identities
  for (const [index, { uniqueId, name, kind, identities, ...row }] of members.entries()) {
    zip.place = `members.ndjson: line ${index + 1}`;
    const { digests } = userOf(uniqueId);
    for (const { sequence, name: past, email, salt, proved, ...others } of identities) {
      check(proved === sequence > first.sequence && keysOf(others) === '', `sequence ${sequence}: proved is wrong`);
      const isProved = digests.get(sequence) === hex(digest(`${salt}\n${past}\n${email}`));
      check(!proved || isProved, `sequence ${sequence}: the identity is not that of the event`);
    }
    const known = new Set(identities.map(({ sequence }) => sequence));
    for (const sequence of known.size === 0 ? [] : digests.keys())
      check(known.has(sequence) || late.has(sequence), `the identity of sequence ${sequence} is missing`);
    check(person(uniqueId)({ uniqueId, name, kind }), 'the name is not that of asOf');
    if (from !== null) continue;
    const { past } = states.get('member').get(uniqueId) ?? {};
    check(past !== undefined, 'the events have no such member');
    const { role, frameworks: limits, createdAt, endedAt } = shownState('member', past);
    checkFields({ role: endedAt === null ? role : null, frameworks: limits, createdAt, endedAt }, row);
  }
  for (const [id, { past }] of states.get('member'))
    zip.checkAt('members.ndjson', past === undefined || userOf(id).isMember, `${id} is missing`);

  // The files of evidence
  const gone = new Map(missing.map(({ sha256, size }) => [`files/${sha256}`, { size, sha256 }]));
  zip.checkAt('manifest.json', gone.size === missing.length, 'it lists a missing file twice');
  const paths = new Map(); // of the files that evidence names, by SHA-256
  let withoutFile = 0;
  for (const { kind, name, size, sha256 } of rowsOf.evidence.values()) {
    if (kind !== 'file') continue;
    if (!paths.has(sha256)) {
      const candidates = [`files/${sha256}`, `files/${sha256}/${fileNameOf(name)}`];
      paths.set(sha256, candidates.find((path) => listed.has(path)) ?? candidates[0]);
    }
    const path = paths.get(sha256);
    if (!listed.has(path)) withoutFile += 1;
    if (!evidence) continue;
    zip.checkAt(path, listed.has(path) !== gone.has(`files/${sha256}`), 'expected it in the ZIP or in missing');
    check(isSame(listed.get(path) ?? gone.get(path), { size, sha256 }), 'it is not the file of the evidence');
  }
  const named = new Set(evidence ? paths.values() : []);
  for (const path of [...listed.keys(), ...gone.keys()])
    zip.checkAt(path, !path.startsWith('files/') || named.has(path), 'no evidence has this file and name');

  // The checkpoint
  let outcome = null;
  if (checkpoint !== null) {
    const { company: id, sequence, hash, at, signature: signed, keyId } = checkpoint;
    zip.checkAt('--checkpoint', id === company.id, `it is of company ${id}`);
    check(found !== undefined, `sequence ${sequence} is not in the proof: ${first.sequence} to ${head.sequence}`);
    check(found.hash === hash && [at, undefined].includes(found.at), `sequence ${sequence} is another event`);
    const signer = new Map([own, ...given]).get(keyId);
    const text = utf8(JSON.stringify({ company: id, sequence, hash, at }));
    const isSigned = signer === undefined || (await platform.verify(signer, fromBase64(signed), text));
    check(isSigned, 'its signature does not match');
    outcome = { sequence, isSignatureChecked: signer !== undefined };
  }
  const about = { ...manifest, counts, fingerprint, timestamp, checkpoint: outcome, fields, withoutFile };
  const frameworkNames = frameworks && frameworks.map((id) => rowsOf.frameworks.get(id) ?? `framework ${id}`);
  return { ...about, frameworkNames, isKeyGiven: given.size > 0, isRebuilt: from === null };
}

/** The result in lines for people. */
export function describe(result) {
  const { company, from, asOf, head, counts, fingerprint, timestamp, checkpoint, frameworkNames } = result;
  const numbersOf = Object.entries(counts).map(([register, count]) => `${register} ${count}`);
  const signed = checkpoint?.isSignatureChecked ? 'signature checked' : 'signature not checked';
  return [
    `the proof holds: ${company.name} (company ${company.id}), ${from ?? 'the beginning'} to ${asOf}`,
    `head: sequence ${head.sequence}, hash ${head.hash}`,
    `${numbersOf.join(', ')}: ${result.isRebuilt ? 'rebuilt from the events' : 'not rebuilt, as the beginning is not in it'}`,
    `frameworks: ${frameworkNames === null ? 'all' : `only ${frameworkNames.join(', ')}; tasks and requirements of others, with their comments and evidence, are left out`}`,
    `missing files: ${result.missing.length}; evidence whose file is not in the proof: ${result.withoutFile}${result.evidence ? '' : ' (the proof was made without files)'}`,
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
    const file = await openFile(positionals[0]);
    const verified = verifyProof(file, await nodePlatform(), { keys, checkpoint });
    const result = await verified.finally(() => file.close());
    stdout.write(`${describe(result).join('\n')}\n`);
  } catch (error) {
    stderr.write(`${printable(error.message)}\n`);
    globalThis.process.exitCode = 1;
  }
}
if (globalThis.process?.argv?.[1] !== undefined) void main(globalThis.process);
