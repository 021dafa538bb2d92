import { z } from 'zod';
import { ApiError, found } from '../../entities/api-error.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { findMemberships, renamePerson, replacePassword, replaceSessionToken } from '../../entities/person/account.ts';
import { listPasskeys, deletePasskey } from '../../entities/person/passkey.ts';
import { endWebSession, endWebSessions } from '../../entities/sign-in/session-end.ts';
import { toIsoOrNull, toIso } from '../../entities/statements/change-metadata.ts';
import { findNotifications, updateNotifications } from '../../entities/person/notifications.ts';
import { beginTotp, confirmTotp, disableTotp } from '../../entities/person/second-factor.ts';
import { accountProcedure, credentialProcedure, router } from '../core/trpc.ts';
import { servicesOf, requireEncryption } from '../core/services.ts';
import { recordOwnChange } from '../member/account-events.ts';
import { mailEmailLink } from '../member/email.ts';
import { identifyEverywhere } from '../member/identity.ts';
import { hashPassword } from '../sign-in/password.ts';
import { generateToken } from '../sign-in/tokens.ts';
import { CreationOptionsOutput, RegistrationResponseInput } from '../passkey/schemas.ts';
import { SignInError } from '../sign-in/attempts.ts';
import { openTotpSecret, sealTotpSecret, withoutSeparators, generateRecoveryCodes } from '../sign-in/second-factor.ts';
import { findTotpStep, generateTotpSecret, isTotpCode, totpKey } from '../sign-in/totp.ts';
import { data } from './data.ts';
import {
  listSessions,
  reachableSessions,
  readPerson,
  requirePassword,
  sessionEnded,
  toAccount,
  toPasskeyRecord,
  whileSignedIn,
  changeCredentials,
  AccountChanges,
  AccountOutput,
  EmailChange,
  ItemId,
  PasswordChange,
  SessionOutput,
  NotificationChanges,
  NotificationsOutput,
  PasskeyOutput,
  requireSecret,
  CurrentPassword,
  RecoveryCodesOutput,
  TotpCode,
  TotpKeyOutput,
} from './person.ts';
import type { AccountContext } from './person.ts';

/** Imports the protocol at the first call, which keeps the start fast. */
const loadRegistration = () => import('../passkey/registration.ts');

/** The passkeys of an account. Contract, section 16. */
const passkey = router({
  begin: credentialProcedure
    .meta({ description: 'Options of `navigator.credentials.create` for a new passkey', worksWhileFrozen: true })
    .input(noInput)
    .output(CreationOptionsOutput)
    .mutation(async ({ ctx }) => {
      const { beginPasskeyRegistration } = await loadRegistration();
      const options = await beginPasskeyRegistration(ctx.session, servicesOf(ctx), await readPerson(ctx));
      return CreationOptionsOutput.parse(options);
    }),

  confirm: credentialProcedure
    .meta({ description: 'Register the passkey that the browser created' })
    .input(z.strictObject({ response: RegistrationResponseInput }))
    .output(PasskeyOutput)
    .mutation(async ({ ctx, input: { response } }) => {
      const { registerPasskey } = await loadRegistration();
      const account = toAccount(await readPerson(ctx));
      const row = await changeCredentials(ctx, account, 'passkeyAdd', (inside) =>
        registerPasskey(inside, servicesOf(ctx), account.person, response),
      );
      return { uniqueId: row.unique_id, createdAt: toIso(row.created_at), lastUsedAt: null };
    }),

  remove: credentialProcedure
    .meta({ description: 'Remove a passkey' })
    .input(ItemId)
    .output(z.void())
    .mutation(async ({ ctx, input: { uniqueId } }) => {
      const account = toAccount(await readPerson(ctx));
      await changeCredentials(ctx, account, 'passkeyRemove', async (inside) => {
        const target = { uniqueId, person: account.person };
        found(isUniqueId(uniqueId) ? await inside.first(deletePasskey, target) : undefined, 'passkey');
      });
    }),
});

/** The second factor of the sign-in with a password. Contract, section 16. */
const totp = router({
  begin: credentialProcedure
    .meta({
      description: 'Create a secret for an authenticator app; it replaces one that is not confirmed',
      worksWhileFrozen: true,
    })
    .input(noInput)
    .output(TotpKeyOutput)
    .mutation(async ({ ctx }) => {
      const services = servicesOf(ctx);
      const encryption = requireEncryption(services);
      const { unique_id: person, email, password } = await readPerson(ctx);
      if (password === null)
        throw new ApiError('unprocessable', 'totp: needs a password, which this account does not have');
      const bytes = generateTotpSecret();
      const stored = await ctx.session.first(beginTotp, { person, secret: sealTotpSecret(encryption, person, bytes) });
      if (stored === undefined) throw ALREADY_CONFIRMED;
      return totpKey(bytes, { issuer: new URL(services.appUrl()).hostname, account: email });
    }),

  confirm: credentialProcedure
    .meta({
      description: 'Turn the second factor on with a code of the app; recovery codes are shown only once',
    })
    .input(TotpCode)
    .output(RecoveryCodesOutput)
    .mutation(async ({ ctx, input: { code } }) => {
      const encryption = requireEncryption(servicesOf(ctx));
      const row = await readPerson(ctx);
      const { unique_id: person, totp_secret: secret } = row;
      if (row.totp_confirmed_at !== null) throw ALREADY_CONFIRMED;
      if (secret === null) throw new ApiError('conflict', 'totp: there is no secret to confirm; begin first');
      const { bytes } = openTotpSecret(encryption, person, secret);
      const text = withoutSeparators(code);
      const step = isTotpCode(text) ? findTotpStep(bytes, text, Date.now()) : undefined;
      const wrongCode = 'code: expected the current code of the app';
      const error = new SignInError('wrong_code', 'unprocessable', wrongCode, person);
      await requireSecret(ctx, row, error, async () => step !== undefined);
      if (step === undefined) throw new Error('totp: expected a step for an accepted code');
      const { codes, hashes } = generateRecoveryCodes();
      const codeHashes = hashes.map((hash) => hash.toString('hex'));
      await changeCredentials(ctx, toAccount(row), 'totpEnable', async (inside) => {
        const stored = await inside.first(confirmTotp, { person, secret, step, codeHashes });
        if (stored === undefined)
          throw new ApiError('conflict', 'totp: the secret was confirmed or replaced in the meantime');
      });
      return { recoveryCodes: codes };
    }),

  disable: credentialProcedure
    .meta({ description: 'Turn the second factor off and delete the recovery codes' })
    .input(CurrentPassword)
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      const person = await readPerson(ctx);
      await requirePassword(ctx, person, 'password', input.password);
      // Without a second factor nothing changes, and there is nothing to report.
      if (person.totp_secret === null) return;
      await changeCredentials(ctx, toAccount(person), 'totpDisable', (inside) =>
        inside.run(disableTotp, { person: person.unique_id }),
      );
    }),
});

const ALREADY_CONFIRMED = new ApiError('conflict', 'totp: is already on; disable it first');

/** Mails that a person gets, for all companies. Contract, section 18. */
const notifications = router({
  get: accountProcedure
    .meta({ description: 'Show which notifications are sent by email' })
    .input(noInput)
    .output(NotificationsOutput)
    .query(async ({ ctx: { session, webSession } }) => {
      const { refusedAt, ...kinds } = await session.one(findNotifications, { person: webSession.person });
      return { ...kinds, refusedAt: toIsoOrNull(refusedAt) };
    }),

  update: accountProcedure
    .meta({
      description: 'Change which notifications are sent by email; a mailbox that rejected emails is tried again',
      worksWhileFrozen: true,
    })
    .input(NotificationChanges)
    .output(NotificationsOutput)
    .mutation(async ({ ctx: { session, webSession }, input }) => {
      const { assigned = null, mentioned = null, commented = null, summary = null } = input;
      const changes = { person: webSession.person, assigned, mentioned, commented, summary };
      const { refusedAt, ...kinds } = await session.one(updateNotifications, changes);
      return { ...kinds, refusedAt: toIsoOrNull(refusedAt) };
    }),
});

/** A person's own account. Contract, section 16. */
export const account = router({
  get: accountProcedure
    .meta({ description: 'Show the own account' })
    .input(noInput)
    .output(AccountOutput)
    .query(({ ctx }) => readAccount(ctx)),

  update: accountProcedure
    .meta({ description: 'Change the name of the own account, in every company of the person' })
    .input(AccountChanges)
    .output(AccountOutput)
    .mutation(async ({ ctx, input: { name } }) => {
      const { person } = ctx.webSession;
      await ctx.session.transaction(async (inside) => {
        const renamed = await inside.first(renamePerson, { person, name });
        if (renamed === undefined) return;
        const memberships = await inside.run(findMemberships, { person });
        if (ctx.webSession.singleSignOn && memberships.filter(({ endedAt }) => endedAt === null).length > 1)
          throw new ApiError(
            'forbidden',
            'name: belongs to your other companies too; sign in with your password or a passkey to change it',
          );
        await identifyEverywhere(inside, person, { name, ...renamed });
      });
      return readAccount(ctx);
    }),

  changeEmail: credentialProcedure
    .meta({ description: 'Send a link to a new email address, which replaces the current one when the link is used' })
    .input(EmailChange)
    .output(z.void())
    .mutation(async ({ ctx, input: { email, password } }) => {
      const services = servicesOf(ctx);
      if (!services.hasMail)
        throw new ApiError(
          'unprocessable',
          'email: this server does not send email, so only an admin or the operator can change your address',
        );
      const row = await readPerson(ctx);
      await requirePassword(ctx, row, 'password', password);
      const { unique_id: person, name } = row;
      if (email === row.email) throw new ApiError('unprocessable', 'email: is already your address');
      const by = { kind: 'person', name } as const;
      await whileSignedIn(ctx, (inside) => mailEmailLink(inside, services, { person }, { email, by, company: null }));
    }),

  changePassword: credentialProcedure
    .meta({ description: 'Change the own password; all other sessions end' })
    .input(PasswordChange)
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      const row = await readPerson(ctx);
      const { unique_id: person } = row;
      const current = await requirePassword(ctx, row, 'current', input.current);
      const password = await hashPassword(input.password); // before the transaction, which holds a connection
      const { token, tokenHash } = generateToken();
      const { uniqueId } = ctx.webSession;
      await ctx.session.transaction(async (inside) => {
        if ((await inside.first(replacePassword, { person, current, password })) === undefined)
          throw new ApiError('conflict', 'current: the password was changed in the meantime');
        await inside.run(endWebSessions, { person, except: uniqueId });
        if ((await inside.first(replaceSessionToken, { uniqueId, person, tokenHash })) === undefined)
          throw sessionEnded();
        await recordOwnChange(inside, servicesOf(ctx), toAccount(row), 'passwordChange');
        // Inside the transaction, so that a response that cannot carry the token changes nothing.
        ctx.setSessionToken?.(token);
      });
    }),

  sessions: accountProcedure
    .meta({ description: 'List the own sessions' })
    .input(noInput)
    .output(z.array(SessionOutput))
    .query(({ ctx }) => listSessions(ctx)),

  endSession: accountProcedure
    .meta({ description: 'End one of the own sessions', worksWhileFrozen: true })
    .input(ItemId)
    .output(z.void())
    .mutation(async ({ ctx, input: { uniqueId } }) => {
      const target = { uniqueId, ...reachableSessions(ctx) };
      found(isUniqueId(uniqueId) ? await ctx.session.first(endWebSession, target) : undefined, 'session');
    }),

  data,
  totp,
  passkey,
  notifications,
});

/** After single sign-on the account has no second factor and no passkeys: these belong to the person, not to the company. */
async function readAccount(ctx: AccountContext): Promise<z.infer<typeof AccountOutput>> {
  const { unique_id: uniqueId, email, name, totp_confirmed_at } = await readPerson(ctx);
  const { singleSignOn } = ctx.webSession;
  const passkeys = singleSignOn ? [] : await ctx.session.run(listPasskeys, { person: uniqueId });
  return {
    uniqueId,
    email,
    name,
    totp: !singleSignOn && totp_confirmed_at !== null,
    passkeys: passkeys.map(toPasskeyRecord),
  };
}
