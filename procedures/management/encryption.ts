import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { CONTENT_BATCH_SIZE, listMailContents, replaceMailContent } from '../../entities/mail/queued-mail.ts';
import {
  SECRET_BATCH_SIZE,
  listClientSecrets,
  listTotpSecrets,
  replaceClientSecret,
  replaceTotpSecret,
} from '../../entities/person/encrypted-secrets.ts';
import { listWebhookSecrets, replaceWebhookSecret } from '../../entities/webhook/endpoint.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import type { AnySession } from '../core/context.ts';
import {
  clientSecretPlace,
  queuedMailPlace,
  totpSecretPlace,
  webhookHeadersPlace,
  webhookSecretPlace,
} from '../core/encryption.ts';
import type { Encryption } from '../core/encryption.ts';
import { requireEncryption, servicesOf } from '../core/services.ts';
import { operatorProcedure, router } from '../core/trpc.ts';

/** Encrypted secrets of all companies. Contract, section 16. */
export const encryption = router({
  rotate: operatorProcedure
    .meta({ description: 'Encrypt secrets of older encryption keys with the first key of ENCRYPTION_KEY' })
    .input(noInput)
    .output(z.object({ reencrypted: z.int() }))
    .mutation(async ({ ctx }) => {
      const keys = requireEncryption(servicesOf(ctx));
      const unreadable: string[] = [];
      let reencrypted = 0;
      for await (const { before, place, replace } of storedSecrets(ctx.session.withoutDeadline())) {
        if (keys.isCurrent(before)) continue;
        const after = reencrypt(keys, before, place);
        if (after === undefined) unreadable.push(place);
        else reencrypted += (await replace(after)).length;
      }
      const [first, ...others] = unreadable;
      if (first === undefined) return { reencrypted };
      const more = others.length === 0 ? '' : ` and ${others.length} more`;
      throw new ApiError('unprocessable', `ENCRYPTION_KEY: expected also the key that encrypted ${first}${more}`);
    }),
});

/** @returns undefined for a secret that has none of the keys */
function reencrypt(keys: Encryption, before: string, place: string): string | undefined {
  try {
    return keys.encrypt(keys.decrypt(before, place), place);
  } catch {
    return undefined;
  }
}

interface StoredSecret {
  before: string;
  place: string;
  /** Stores the secret. Returns no row if it was changed in the meantime, and so has the first key. */
  replace: (after: string) => Promise<unknown[]>;
}

/** Yields the encrypted secrets of all companies. */
async function* storedSecrets(session: AnySession): AsyncGenerator<StoredSecret> {
  let last: string | null = null;
  for (let rowCount = SECRET_BATCH_SIZE; rowCount === SECRET_BATCH_SIZE;) {
    const rows: { person: string; secret: string }[] = await session.run(listTotpSecrets, { after: last });
    rowCount = rows.length;
    last = rows.at(-1)?.person ?? null;
    for (const { person, secret: before } of rows) {
      const replace = (after: string) => session.run(replaceTotpSecret, { person, before, after });
      yield { before, place: totpSecretPlace(person), replace };
    }
  }
  for (const { id, secret: before } of await session.run(listClientSecrets, {})) {
    const replace = (after: string) => session.asOperator(id).run(replaceClientSecret, { before, after });
    yield { before, place: clientSecretPlace(id), replace };
  }
  for (const { company, webhook, secret, previousSecret, encryptedHeaders } of await session.run(
    listWebhookSecrets,
    {},
  )) {
    const places = [
      [secret, webhookSecretPlace],
      [previousSecret, webhookSecretPlace],
      [encryptedHeaders, webhookHeadersPlace],
    ] as const;
    for (const [before, placeOf] of places) {
      if (before === null) continue;
      const replace = (after: string) =>
        session.asOperator(company).run(replaceWebhookSecret, { webhook, before, after });
      yield { before, place: placeOf(webhook), replace };
    }
  }
  yield* storedMails(session);
}

/** Yields the encrypted mails that wait. */
async function* storedMails(session: AnySession): AsyncGenerator<StoredSecret> {
  let last: string | null = null;
  for (let rowCount = CONTENT_BATCH_SIZE; rowCount === CONTENT_BATCH_SIZE;) {
    const rows: { uniqueId: string; content: string }[] = await session.run(listMailContents, { after: last });
    rowCount = rows.length;
    last = rows.at(-1)?.uniqueId ?? null;
    for (const { uniqueId, content: before } of rows) {
      const replace = (after: string) => session.run(replaceMailContent, { uniqueId, before, after });
      yield { before, place: queuedMailPlace(uniqueId), replace };
    }
  }
}
