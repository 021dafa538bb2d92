import { createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { describe as describeProof, fileNameOf } from '../../procedures/proof/verify/verify.mjs';
import { alterations } from '../support/proof/alterations.ts';
import { readLines, readManifest, toPem } from '../support/proof/chain.ts';
import type { EventLine } from '../support/proof/chain.ts';
import {
  findAlterations,
  placeOf,
  runCommand,
  verifyBytes,
  verifyWithPython,
  withFiles,
} from '../support/proof/run.ts';
import type { Finding } from '../support/proof/run.ts';
import { sampleEntries, sampleKey, sampleProof } from '../support/proof/sample.ts';
import { LOST } from '../support/proof/sample-log.ts';
import { makeTimestamp } from '../support/proof/timestamp.ts';
import { writeZip } from '../support/proof/zip.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const pem = toPem(sampleKey);
const jwks = JSON.stringify({ keys: [{ ...createPublicKey(sampleKey).export({ format: 'jwk' }), kid: 'x' }] });
const { fingerprint } = await verified(await sampleProof());

async function verified(...input: Parameters<typeof verifyBytes>) {
  const result = await verifyBytes(...input);
  if (typeof result === 'string') throw new Error(result);
  return result;
}

/** A checkpoint at a sequence of the sample log. */
function checkpointAt(sequence: number, keyId: string) {
  const [first, ...lines] = readLines<EventLine>(sampleEntries(), 'events.ndjson');
  const { hash = '', event } = [first, ...lines][sequence] ?? {};
  const head = { company: 7, sequence, hash, at: event?.['occurredAt'] };
  return JSON.stringify({
    ...head,
    signature: sign(null, Buffer.from(JSON.stringify(head)), sampleKey).toString('base64'),
    keyId,
  });
}

async function stampedProof() {
  const entries = sampleEntries();
  const { response } = makeTimestamp(entries.get('manifest.json') ?? Buffer.alloc(0));
  return writeZip(new Map([...entries, ['manifest.tsr', response]]));
}

describe('a valid proof', () => {
  test('holds for both verifiers, whatever it contains', async () => {
    const options = [
      {},
      { from: 10 },
      { frameworks: [1] },
      { frameworks: [2] },
      { evidence: false },
      { isEarlier: true },
      { isEarlier: true, frameworks: [1] },
      { isEarlier: true, frameworks: [2], from: 10 },
      { frameworks: [2], from: 10 },
    ];
    const zips = await Promise.all([...options.map(sampleProof), writeZip(sampleEntries(), true), stampedProof()]);
    const results = await Promise.all(zips.map((zip) => verifyBytes(zip)));
    expect(results.filter((result) => typeof result === 'string')).toEqual([]);
    const lines = await verifyWithPython(zips.map((zip) => ({ zip })));
    expect(lines.map((line) => line.slice(0, 17))).toEqual(zips.map(() => '0\tthe proof holds'));
  });

  test('gives its content, the numbers of its rows, and the fingerprint of its key', async () => {
    const { fields, ...result } = await verified(await stampedProof());
    const { head, asOf, createdAt, product, company } = readManifest(sampleEntries());
    expect(result).toEqual({
      product,
      company,
      from: null,
      asOf,
      frameworks: null,
      evidence: true,
      createdAt,
      head,
      frameworkNames: null,
      missing: [LOST],
      withoutFile: 1,
      counts: {
        events: 41,
        tasks: 4,
        vendors: 3,
        requirements: 3,
        comments: 2,
        evidence: 3,
        frameworks: 2,
        departments: 1,
        gaps: 1,
        keys: 1,
        members: 2,
      },
      fingerprint,
      isKeyGiven: false,
      isRebuilt: true,
      checkpoint: null,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(Object.keys(fields.types)).toContain('task');
  });

  test('is signed by one of the given keys, as PEM or as a set of JWKs', async () => {
    const zip = await sampleProof();
    for (const key of [pem, jwks]) {
      const { isKeyGiven } = await verified(zip, { keys: [key] });
      expect(isKeyGiven).toBe(true);
    }
    const lines = await verifyWithPython([pem, jwks].map((key) => ({ zip, keys: [key] })));
    expect(lines.map(([status]) => status)).toEqual(['0', '0']);
  });

  test('says which frameworks and files it has', async () => {
    const limited = describeProof(await verified(await sampleProof({ frameworks: [1] })));
    expect(limited).toContain(
      'frameworks: only ISO 27001; tasks and requirements of others, with their comments and evidence, are left out',
    );
    const lines = describeProof(await verified(await sampleProof({ evidence: false })));
    const line = lines.find((one) => one.startsWith('missing'));
    expect(line).toBe(
      'missing files: 0; evidence whose file is not in the proof: 2 (the proof was made without files)',
    );
  });

  test('does not hold for a set without a key', async () => {
    const keys = [JSON.stringify({ keys: [] }), JSON.stringify({ keys: [{ kty: 'RSA', n: 'x', e: 'AQAB' }] })];
    const zip = await sampleProof();
    for (const key of keys) expect(await verifyBytes(zip, { keys: [key] })).toMatch(/^--key: it has no public key/);
    const lines = await verifyWithPython(keys.map((key) => ({ zip, keys: [key] })));
    expect(lines.map((one) => placeOf(one))).toEqual(['1\t--key', '1\t--key']);
  });

  test('continues a checkpoint, whose signature is checked if its key is known', async () => {
    const zip = await sampleProof({ from: 10 });
    const outcomes = [9, 10, 25].map(async (sequence) => {
      const known = await verified(zip, { checkpoint: checkpointAt(sequence, fingerprint) });
      const unknown = await verified(zip, { checkpoint: checkpointAt(sequence, 'unknown') });
      return [known.checkpoint, unknown.checkpoint];
    });
    expect(await Promise.all(outcomes)).toEqual(
      [9, 10, 25].map((sequence) => [
        { sequence, isSignatureChecked: true },
        { sequence, isSignatureChecked: false },
      ]),
    );
    const [line] = await verifyWithPython([{ zip, checkpoint: checkpointAt(9, fingerprint) }]);
    expect(line).toContain('signature checked');
  });

  test('continues no checkpoint of before its first line', async () => {
    const zip = await sampleProof({ from: 10 });
    const checkpoint = checkpointAt(8, fingerprint);
    expect(await verifyBytes(zip, { checkpoint })).toMatch(/^--checkpoint: sequence 8 is not in the proof/);
    const [line] = await verifyWithPython([{ zip, checkpoint }]);
    expect(line).toMatch(/^1\t--checkpoint: sequence 8/);
  });

  test('reports how much of it is read', async () => {
    const reports: [number, number][] = [];
    await verified(await sampleProof(), { progress: (...report) => reports.push(report) });
    const [read, total] = reports.at(-1) ?? [];
    expect(read).toBe(total);
    expect(reports.length).toBeGreaterThan(10);
  });
});

describe('the name of a file in a proof', () => {
  test.each([
    ['Review.txt', 'Review.txt'],
    ['Ärger 🦆.pdf', 'Ärger 🦆.pdf'],
    ['a<b>c:d"e|f?g*h.txt', 'a_b_c_d_e_f_g_h.txt'],
    ['CON', '_'],
    ['con.tar.gz', '_.tar.gz'],
    ['COM1 .txt', '_ .txt'],
    ['Lpt¹', '_'],
    ['console.log', 'console.log'],
    ['dots. . ', 'dots____'],
    ['fdp.\u202excod.exe', 'fdp._xcod.exe'],
    [`${'ä'.repeat(250)}.pdf`, `${'ä'.repeat(98)}.pdf`],
    [`${'x'.repeat(150)}.${'y'.repeat(100)}`, `${'x'.repeat(150)}.${'y'.repeat(49)}`],
  ])('of %j is %j', (name, expected) => {
    expect(fileNameOf(name)).toBe(expected);
  });

  test('is one that every system takes, whatever the evidence is called', () => {
    const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 });
    fc.assert(
      fc.property(names, (name) => {
        const given = fileNameOf(name);
        expect(Buffer.byteLength(given)).toBeGreaterThan(0);
        expect(Buffer.byteLength(given)).toBeLessThanOrEqual(200);
        expect(given).not.toMatch(/["*/:<>?\\|\p{Cc}]|[. ]$/u);
        expect(fileNameOf(given)).toBe(given);
      }),
    );
  });
});

describe('an altered proof', () => {
  let findings: Finding[] = [];
  beforeAll(async () => {
    findings = await findAlterations(await sampleProof());
  });

  test.each(alterations.map(({ name }, index) => [name, index] as const))('is found: %s', (_, index) => {
    const { line, pythonLine, expects } = findings[index] ?? { line: '', pythonLine: '', expects: /never/ };
    expect(line).toMatch(expects);
    expect(placeOf(pythonLine)).toBe(placeOf(line));
  });

  test('is found by its key or by a checkpoint where it is right in itself', async () => {
    const another = alterations.find(({ name }) => name.startsWith('another key signs'));
    const altered = await another?.alter(await sampleProof());
    expect(await verifyBytes(altered?.zip ?? Buffer.alloc(0))).toMatchObject({ isRebuilt: true });
  });
});

describe('the README.txt of a proof', () => {
  test('has commands that all run', async () => {
    const entries = sampleEntries();
    const { response, certificate } = makeTimestamp(entries.get('manifest.json') ?? Buffer.alloc(0));
    const zip = await writeZip(new Map([...entries, ['manifest.tsr', response]]));
    const commands = readFileSync('procedures/proof/verify/README.txt', 'utf8')
      .split('\n')
      .filter((line) => /^ {4}\S/.test(line));
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'proof.zip'), zip);
    await writeFile(join(folder, 'signing-keys.json'), jwks);
    await writeFile(join(folder, 'authority.pem'), certificate);
    const script = ['set -euo pipefail', `cd ${folder}`, ...commands].join('\n');
    const { status, text } = await runCommand('bash', ['-c', script]);
    expect(text).toContain('the proof holds: Acme');
    expect(text).toContain('Signature Verified Successfully');
    expect(text).toContain(`\n${fingerprint}\n`);
    expect(text).toContain('Verification: OK');
    expect(status).toBe(0);
  });

  test('has a command that finds a changed file', async () => {
    const [command = ''] = readFileSync('procedures/proof/verify/README.txt', 'utf8').match(/awk .*/) ?? [];
    const folder = await temporaryFolder();
    for (const [name, bytes] of sampleEntries()) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), bytes);
    }
    const check = () => runCommand('bash', ['-c', `cd ${folder}; ${command}`]);
    expect((await check()).text).toBe('');
    await appendFile(join(folder, 'report.html'), 'forged');
    expect(await check()).toMatchObject({ status: 1, text: expect.stringContaining('report.html: FAILED') });
  });
});

describe('the command', () => {
  const verify = (args: string[]) => runCommand(process.execPath, ['procedures/proof/verify/verify.mjs', ...args]);

  test('exits with 0 and describes the proof', async () => {
    const proof = { zip: await sampleProof(), keys: [pem], checkpoint: checkpointAt(12, fingerprint) };
    const { status, text } = await withFiles([proof], ([args = []]) => verify(args));
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^the proof holds: Acme \(company 7\), the beginning to /),
      expect.stringMatching(/^head: sequence 41, hash [0-9a-f]{64}$/),
      expect.stringMatching(/tasks 4, .*: rebuilt from the events$/),
      'frameworks: all',
      'missing files: 1; evidence whose file is not in the proof: 1',
      `signing key: ${fingerprint} (one of the given keys)`,
      'timestamp: none',
      'checkpoint: the log continues it from sequence 12; signature checked',
      '',
    ]);
    expect(status).toBe(0);
  });

  test.each(['a byte of report.html is changed', 'an event is removed', 'a byte follows the ZIP'])(
    'exits with 1 and one line if %s',
    async (wanted) => {
      const altered = await alterations.find(({ name }) => name === wanted)?.alter(await sampleProof());
      const { status, text } = await withFiles(altered ? [altered] : [], ([args = []]) => verify(args));
      expect([status, text.split('\n').length]).toEqual([1, 2]);
      expect(text).toMatch(alterations.find(({ name }) => name === wanted)?.expects ?? /never/);
    },
  );

  test('writes one line for an empty file', async () => {
    const { status, text } = await withFiles([{ zip: Buffer.alloc(0) }], ([args = []]) => verify(args));
    expect([status, text]).toEqual([1, 'ZIP: the ZIP breaks off\n']);
  });

  test.each([[], ['/nowhere.zip'], ['a', 'b'], ['--unknown']])('exits with 1 for the arguments %j', async (...args) => {
    const { status, text } = await verify(args);
    expect([status, text.trimEnd().split('\n').length]).toEqual([1, 1]);
  });
});
