import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import {
  booleanInput,
  expected,
  maxLength,
  textOutput,
  timestampOutput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { MAX_EMAIL_LENGTH } from '../../entities/member/role.ts';
import type { MailKind } from '../../entities/person/notifications.ts';
import { MAX_USER_AGENT_LENGTH } from '../../entities/sign-in/web-session.ts';
import { emailInput, newPasswordInput, passwordInput, personNameInput } from '../schemas/people.ts';

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
  totp: z.boolean().meta({ description: 'True if a sign-in with the password needs a code' }),
  passkeys: z.array(PasskeyOutput),
});

export const AccountChanges = z.strictObject({ name: personNameInput('Name of the person, in every company') });

const mailKinds = {
  assigned: booleanInput.meta({ description: 'True if tasks that are assigned to the person come by mail' }),
  mentioned: booleanInput.meta({ description: 'True if comments that mention the person come by mail' }),
  commented: booleanInput.meta({ description: 'True if other comments on what the person watches come by mail' }),
  summary: booleanInput.meta({ description: 'True if a summary of the tasks that are due comes by mail' }),
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
