import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { findPerson } from '../../entities/member/statements.ts';
import type { PersonRow } from '../../entities/member/statements.ts';
import type { AccountVerb } from '../../entities/member/member.ts';
import { listSessionsOfPerson } from '../../entities/person/account.ts';
import type { listPasskeys } from '../../entities/person/passkey.ts';
import { toIso, toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';
import { findCurrentSession } from '../../entities/sign-in/web-session-statements.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { MAX_EMAIL_LENGTH } from '../../entities/member/role.ts';
import type { MailKind } from '../../entities/person/notifications.ts';
import { MAX_USER_AGENT_LENGTH } from '../../entities/sign-in/web-session.ts';
import {
  booleanInput,
  expected,
  maxLength,
  timestampOutput,
  uniqueIdOutput,
  textOutput,
} from '../../entities/fields/schemas.ts';
import type { Context, WebSession } from '../core/context.ts';
import { servicesOf } from '../core/services.ts';
import type { Services } from '../core/services.ts';
import { recordOwnChange } from '../member/account-events.ts';
import type { Account } from '../member/account-events.ts';
import { SignInError } from '../sign-in/attempts.ts';
import { verifyPassword } from '../sign-in/password.ts';
import { emailInput, newPasswordInput, passwordInput, personNameInput } from '../schemas/people.ts';

/** Context of `accountProcedure`. */
export type AccountContext = Pick<Context, 'attempts' | 'address'> & { session: Session; webSession: WebSession };

/** Reads the person of a session. @throws ApiError 401 if the person was deleted since the authentication */
export async function readPerson({ session, webSession: { person } }: AccountContext): Promise<PersonRow> {
  const row = await session.first(findPerson, { person });
  if (row === undefined) throw sessionEnded();
  return row;
}

/** Error of a request whose session ended after its authentication. */
export const sessionEnded = () => new ApiError('unauthorized', 'The session has ended.');

/**
 * Runs a check of a password or a code. A stolen session allows no more guesses than the sign-in: the limits count both.
 * @param error thrown if the check fails
 * @throws ApiError 429 after too many failures
 */
export async function requireSecret(
  { attempts, address }: AccountContext,
  { email }: PersonRow,
  error: SignInError,
  check: () => Promise<boolean>,
): Promise<void> {
  const attempt = async () => {
    if (!(await check())) throw error;
  };
  await (attempts === undefined ? attempt() : attempts.limit({ address, email }, attempt));
}

/**
 * Verifies the current password of a person.
 * @param field name of the field with the password
 * @returns the hash of the password
 * @throws ApiError 422, also for a person who has none, 429
 */
export async function requirePassword(
  ctx: AccountContext,
  person: PersonRow,
  field: string,
  password: string,
): Promise<string> {
  const { password: hash, unique_id } = person;
  if (hash === null)
    throw new ApiError('unprocessable', `${field}: this account has no password; it uses single sign-on`);
  const message = `${field}: expected your current password`;
  const error = new SignInError('wrong_password', 'unprocessable', message, unique_id);
  await requireSecret(ctx, person, error, () => verifyPassword(password, hash));
  return hash;
}

/** The sessions that a session shows and ends: after single sign-on only those from the same provider. */
export const reachableSessions = ({ session, webSession: { person, singleSignOn } }: AccountContext) => ({
  person,
  singleSignOnCompany: singleSignOn ? session.principal.company : null,
});

/** The valid sessions that a session shows. */
export async function listSessions(ctx: AccountContext) {
  const rows = await ctx.session.run(listSessionsOfPerson, reachableSessions(ctx));
  return rows.map((row) =>
    Object.assign(row, {
      createdAt: toIso(row.createdAt),
      seenAt: toIso(row.seenAt),
      current: row.uniqueId === ctx.webSession.uniqueId,
    }),
  );
}

/** The account of a row, for events and mails. */
export const toAccount = ({ unique_id: person, name, email }: PersonRow): Account => ({ person, name, email });

/**
 * Runs a change of the account while its session is valid. A reset of the password ends all sessions, so that whoever had one of them neither adds
 * a passkey nor asks for another address afterwards.
 * @throws ApiError 401
 */
export const whileSignedIn = <T>(
  { session, webSession }: AccountContext,
  change: (inside: Session) => Promise<T>,
): Promise<T> =>
  session.transaction(async (inside) => {
    await inside.run(lockPerson, webSession);
    if ((await inside.first(findCurrentSession, webSession)) === undefined) throw sessionEnded();
    return change(inside);
  });

/**
 * Changes how a person signs in, and records it in the companies of the person.
 * @throws ApiError 401, 503 while a company of the person is frozen
 */
export const changeCredentials = <T>(
  ctx: AccountContext & { services?: Services | undefined },
  account: Account,
  verb: AccountVerb,
  change: (inside: Session) => Promise<T>,
): Promise<T> =>
  whileSignedIn(ctx, async (inside) => {
    const result = await change(inside);
    await recordOwnChange(inside, servicesOf(ctx), account, verb);
    return result;
  });

/** A passkey in responses. */
export const toPasskeyRecord = ({ unique_id, created_at, last_used_at }: NonNullable<typeof listPasskeys.row>) => ({
  uniqueId: unique_id,
  createdAt: toIso(created_at),
  lastUsedAt: toIsoOrNull(last_used_at),
});

/** Maximum length of a code with spaces and dashes, in characters. */
const MAX_CODE_LENGTH = 40;

export const PasskeyOutput = z.strictObject({
  uniqueId: uniqueIdOutput,
  createdAt: timestampOutput,
  lastUsedAt: timestampOutput.nullable(),
});

export const AccountOutput = z.strictObject({
  uniqueId: uniqueIdOutput,
  email: textOutput(MAX_EMAIL_LENGTH, 'ann@example.com'),
  name: textOutput(MAX_NAME_LENGTH, 'Ann'),
  totp: z.boolean().meta({ description: 'True if signing in with the password also needs a code' }),
  passkeys: z.array(PasskeyOutput),
});

export const AccountChanges = z.strictObject({ name: personNameInput('Name of the person, in every company') });

const mailKinds = {
  assigned: booleanInput.meta({ description: 'True if tasks that are assigned to the person are sent by email' }),
  mentioned: booleanInput.meta({
    description: 'True if mentions of the person, questions, answers and rejected evidence are sent by email',
  }),
  commented: booleanInput.meta({ description: 'True if other comments on what the person watches are sent by email' }),
  summary: booleanInput.meta({ description: 'True if a summary of the tasks that are due is sent by email' }),
} satisfies Record<MailKind, z.ZodType>;

export const NotificationsOutput = z.strictObject({
  ...mailKinds,
  refusedAt: timestampOutput
    .nullable()
    .meta({ description: 'Time at which the mailbox rejected mails permanently; null if it takes them' }),
});

export const NotificationChanges = z.strictObject(mailKinds).partial();

export const EmailChange = z.strictObject({ email: emailInput, password: passwordInput });

export const PasswordChange = z.strictObject({ current: passwordInput, password: newPasswordInput });

export const SessionOutput = z.strictObject({
  uniqueId: uniqueIdOutput,
  createdAt: timestampOutput,
  seenAt: timestampOutput,
  address: z.string().nullable(),
  userAgent: textOutput(MAX_USER_AGENT_LENGTH, 'Mozilla/5.0'),
  current: z.boolean().meta({ description: 'True for the session of this request' }),
});

/** Id of a session or a passkey. Malformed ids return 404. */
export const ItemId = z.strictObject({ uniqueId: z.string(expected('text')) });

export const TotpKeyOutput = z.strictObject({
  secret: z.string().meta({ description: 'Base32, for authenticator apps that take text' }),
  uri: z.string().meta({ description: 'otpauth URI, for a QR code' }),
});

export const TotpCode = z.strictObject({
  code: z.string(expected('a code of 6 digits')).check(maxLength(MAX_CODE_LENGTH, expected('a code of 6 digits'))),
});

export const RecoveryCodesOutput = z.strictObject({ recoveryCodes: z.array(z.string()) });

export const CurrentPassword = z.strictObject({ password: passwordInput });
