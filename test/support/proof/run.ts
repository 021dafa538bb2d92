import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProofError, nodePlatform, verifyProof } from '../../../procedures/proof/verify/verify.mjs';
import type { ProofOptions, ProofResult } from '../../../procedures/proof/verify/verify.mjs';
import type { Altered } from './alter.ts';
import { alterations } from './alterations.ts';

/** Verifies a proof in this process. Returns the result, or the line that names the fault. */
export async function verifyBytes(zip: Buffer, options: ProofOptions = {}): Promise<ProofResult | string> {
  const bytes = new Uint8Array(zip);
  const source = { size: bytes.length, read: async (start: number, end: number) => bytes.slice(start, end) };
  try {
    return await verifyProof(source, await nodePlatform(), options);
  } catch (error) {
    if (error instanceof ProofError) return error.message;
    throw error;
  }
}

/** Runs an action in a new folder with the files of proofs, and with the arguments of each. */
export async function withFiles<Result>(
  proofs: readonly Altered[],
  action: (argumentsOf: string[][]) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'proofs-'));
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  try {
    const all = proofs.map(async ({ zip, keys = [], checkpoint }, index) => {
      const keyFiles = await Promise.all(keys.map((key, number) => write(`${index}-${number}.key`, key)));
      const checkpoints = checkpoint === undefined ? [] : ['--checkpoint', await write(`${index}.json`, checkpoint)];
      return [await write(`${index}.zip`, zip), ...keyFiles.flatMap((file) => ['--key', file]), ...checkpoints];
    });
    return await action(await Promise.all(all));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs a command with input. Returns its exit status and what it writes. */
export const runCommand = (command: string, args: readonly string[], input = '') =>
  new Promise<{ status: number; text: string }>((resolve) => {
    const child = execFile(command, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), text: `${stdout}${stderr}` }),
    );
    child.stdin?.on('error', () => {}); // a command may end before it reads its input
    child.stdin?.end(input);
  });

/** The verifier in Python. Returns for each proof the exit status, a tab and the line. */
export const verifyWithPython = (proofs: readonly Altered[]): Promise<string[]> =>
  withFiles(proofs, async (argumentsOf) => {
    const input = argumentsOf.map((args) => `${JSON.stringify(args)}\n`).join('');
    const { text } = await runCommand('python3', ['test/proof/verifier/verify.py', '--batch'], input);
    return text.trimEnd().split('\n');
  });

/** File, and line or sequence, in the line of a verifier. */
export const placeOf = (line: string): string => /^.+?(?:: (?:line|sequence) \d+)?(?=: )/.exec(line)?.[0] ?? line;

/** A proof with an alteration as both verifiers see it: in place of a line there is `holds` for a proof that holds. */
export interface Finding {
  name: string;
  expects: RegExp;
  line: string;
  pythonLine: string;
}

/** Makes each alteration of a valid proof from the beginning of the log, and verifies it. */
export async function findAlterations(zip: Buffer): Promise<Finding[]> {
  const altered: Altered[] = [];
  for (const alteration of alterations) altered.push(await alteration.alter(zip));
  const python = await verifyWithPython(altered);
  const findings = alterations.map(async ({ name, expects }, index) => {
    const { zip: changed, ...options } = altered[index] ?? { zip };
    const result = await verifyBytes(changed, options);
    const [status, pythonLine = ''] = (python[index] ?? '').split('\t');
    return {
      name,
      expects,
      line: typeof result === 'string' ? result : 'holds',
      pythonLine: status === '1' ? pythonLine : 'holds',
    };
  });
  return Promise.all(findings);
}
