import { createPublicKey } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import { SEALED_FIELDS } from '../entities/audit/sealed-fields.ts';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { ProofError, describe, nodePlatform, openFile, verifyProof } from '../procedures/proof/verify/verify.mjs';
import type { ProofFields } from '../procedures/proof/verify/verify.mjs';
import { ConfigError } from '../server/config/settings.ts';
import { call, unexpected } from './remote.ts';

const File = z.tuple([z.string().meta({ title: 'file', description: 'ZIP of a proof' })]);

const KeySet = z.object({
  keys: z.array(z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() })),
});

/** Creates the command that verifies a proof on this machine, with the keys and the fields of the installation. */
export function proofCommands(server: string) {
  const t = initTRPC.meta<Meta>().create();
  return {
    verify: t.procedure
      .meta({ description: 'Verify the ZIP of a proof with the keys of this installation' })
      .input(File)
      .query(async ({ input: [path] }) => {
        const keys = await readKeys(server);
        const source = await openFile(path).catch((cause: unknown) => {
          throw new ConfigError(`expected the ZIP of a proof, not ${path}`, { cause });
        });
        try {
          const result = await verifyProof(source, await nodePlatform(), { keys });
          requireKnownFields(result.fields);
          return { holds: true, lines: describe(result) };
        } catch (error) {
          if (!(error instanceof ProofError)) throw error;
          process.exitCode = 1;
          return { holds: false, lines: [error.message] };
        } finally {
          await source.close();
        }
      }),
  };
}

/** Public keys of the installation in PEM, also former ones. */
async function readKeys(server: string): Promise<string[]> {
  const response = await call(server, '/.well-known/signing-keys.json', {});
  const body: unknown = await response.json().catch(() => undefined);
  const { data } = KeySet.safeParse(body);
  if (data === undefined) throw unexpected(server, response, body);
  // Without a key to compare with, a proof that anybody has made would pass.
  if (data.keys.length === 0)
    throw new ConfigError('SIGNING_KEY: the installation has no signing key, so it cannot have made a proof');
  return data.keys.map((key) => createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }));
}

/**
 * Requires that the proof reads its events as this version does. A proof of an earlier version may lack types, columns and rules.
 * @throws ProofError
 */
function requireKnownFields({ event, types }: ProofFields): void {
  requireSame('event', event, SEALED_FIELDS.event);
  for (const [type, { columns, derived }] of Object.entries(types)) {
    const known = SEALED_FIELDS.types[type];
    if (known === undefined) throw new ProofError(`fields.json: ${type}: this version does not know the type`);
    requireSame(type, columns, known.columns);
    const isThere = (one: (typeof known.derived)[number]) => derived.some(({ field }) => field === one.field);
    const expected = known.derived.filter((one) => !('rule' in one) || isThere(one));
    if (!isDeepStrictEqual(derived, expected))
      throw new ProofError(`fields.json: ${type}: the derived fields are not those of this version`);
  }
}

function requireSame(type: string, columns: Readonly<Record<string, object>>, known: Readonly<Record<string, object>>) {
  for (const [column, reading] of Object.entries(columns))
    if (!isDeepStrictEqual(reading, known[column]))
      throw new ProofError(`fields.json: ${type}: the column ${column} is not that of this version`);
}
