import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import { ZipFile } from 'yazl';

/** Files of a ZIP by name, in their order. */
export type ZipEntries = Map<string, Buffer>;

/** Writes a ZIP as proofs are: streams with data descriptors, and files of evidence without compression. */
export async function writeZip(
  entries: Iterable<readonly [string, Buffer]>,
  forceZip64Format = false,
): Promise<Buffer> {
  const zip = new ZipFile();
  const mtime = new Date('2026-01-01T00:00:00Z');
  for (const [name, bytes] of entries) {
    zip.addReadStream(Readable.from([bytes], { objectMode: false }), name, {
      compress: !name.startsWith('files/'),
      mtime,
      forceZip64Format,
    });
  }
  zip.end({ forceZip64Format, comment: '' });
  return buffer(zip.outputStream);
}

/** Position of the central directory, from the last record. */
export const directoryOf = (zip: Buffer): number => {
  const offset = zip.readUInt32LE(zip.length - 6);
  return offset === 0xffffffff ? Number(zip.readBigUInt64LE(zip.length - 50)) : offset;
};

/** Positions of the records of the central directory and of the local headers, by name. */
export function headersOf(zip: Buffer): Map<string, { central: number; local: number; size: number }> {
  const headers = new Map<string, { central: number; local: number; size: number }>();
  let at = directoryOf(zip);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [nameLength, extraLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const next = at + 46 + nameLength + extraLength;
    const isWide = extraLength >= 28;
    const size = isWide ? Number(zip.readBigUInt64LE(next - 16)) : zip.readUInt32LE(at + 20);
    const local = isWide ? Number(zip.readBigUInt64LE(next - 8)) : zip.readUInt32LE(at + 42);
    headers.set(name, { central: at, local, size });
    at = next;
  }
  return headers;
}

/** Reads a valid ZIP that `writeZip` or the service made. */
export function readZip(zip: Buffer): ZipEntries {
  return new Map(
    [...headersOf(zip)].map(([name, { central, local, size }]) => {
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const data = zip.subarray(start, start + size);
      return [name, zip.readUInt16LE(central + 10) === 8 ? inflateRawSync(data) : Buffer.from(data)];
    }),
  );
}
