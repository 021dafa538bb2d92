import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { Principal } from '../../entities/principal.ts';
import {
  SECRET_BATCH_SIZE,
  listClientSecrets,
  listTotpSecrets,
  replaceClientSecret,
  replaceTotpSecret,
} from '../../entities/person/encrypted-secrets.ts';
import { listWebhookSecrets, replaceWebhookSecret } from '../../entities/webhook/secret-statements.ts';
import { clientSecretPlace, totpSecretPlace, webhookSecretPlace } from '../core/encryption.ts';
import type { Encryption } from '../core/encryption.ts';
import { requireEncryption, servicesOf } from '../core/services.ts';
import { operatorProcedure, router } from '../core/trpc.ts';
import { noInput } from '../schemas/fields.ts';

/** Encrypted secrets of all companies. Contract, section 16. */
export const encryption = router({
  rotate: operatorProcedure
    .meta({ description: 'Encrypt secrets of older encryption keys with the first key of ENCRYPTION_KEY' })
    .input(noInput)
    .output(z.object({ reencrypted: z.int() }))
    .mutation(async ({ ctx }) => {
      const rotation = new Rotation(requireEncryption(servicesOf(ctx)));
      const session = ctx.session.withoutDeadline();
      await rotateTotpSecrets(session, rotation);
      await rotateClientSecrets(session, rotation);
      await rotateWebhookSecrets(session, rotation);
      return { reencrypted: rotation.end() };
    }),
});

/** Encrypts secrets with the first key, and counts them. */
class Rotation {
  readonly #keys: Encryption;
  readonly #unreadable: string[] = [];
  #count = 0;

  constructor(keys: Encryption) {
    this.#keys = keys;
  }

  /**
   * Encrypts a secret again, unless it has the first key.
   * @param replace stores the secret. Returns no row if it was changed meanwhile, and so has the first key.
   */
  async rotate(before: string, place: string, replace: (after: string) => Promise<unknown[]>): Promise<void> {
    if (this.#keys.isCurrent(before)) return;
    const after = this.#reencrypt(before, place);
    if (after !== undefined) this.#count += (await replace(after)).length;
  }

  /** @returns the number of secrets that were encrypted again. @throws ApiError 422 if a secret has none of the keys */
  end(): number {
    const [first, ...others] = this.#unreadable;
    if (first === undefined) return this.#count;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    throw new ApiError('unprocessable', `ENCRYPTION_KEY: expected also the key that encrypted ${first}${more}`);
  }

  #reencrypt(before: string, place: string): string | undefined {
    try {
      return this.#keys.encrypt(this.#keys.decrypt(before, place), place);
    } catch {
      this.#unreadable.push(place);
      return undefined;
    }
  }
}

async function rotateTotpSecrets(session: Session<Principal | null>, rotation: Rotation): Promise<void> {
  let last: string | null = null;
  for (let rowCount = SECRET_BATCH_SIZE; rowCount === SECRET_BATCH_SIZE;) {
    const rows: { person: string; secret: string }[] = await session.run(listTotpSecrets, { after: last });
    rowCount = rows.length;
    last = rows.at(-1)?.person ?? null;
    for (const { person, secret: before } of rows) {
      await rotation.rotate(before, totpSecretPlace(person), (after) =>
        session.run(replaceTotpSecret, { person, before, after }),
      );
    }
  }
}

async function rotateClientSecrets(session: Session<Principal | null>, rotation: Rotation): Promise<void> {
  for (const { id, secret: before } of await session.run(listClientSecrets, {})) {
    await rotation.rotate(before, clientSecretPlace(id), (after) =>
      session.asOperator(id).run(replaceClientSecret, { before, after }),
    );
  }
}

async function rotateWebhookSecrets(session: Session<Principal | null>, rotation: Rotation): Promise<void> {
  for (const { company, webhook, secret, previousSecret } of await session.run(listWebhookSecrets, {})) {
    for (const before of previousSecret === null ? [secret] : [secret, previousSecret])
      await rotation.rotate(before, webhookSecretPlace(webhook), (after) =>
        session.asOperator(company).run(replaceWebhookSecret, { webhook, before, after }),
      );
  }
}
