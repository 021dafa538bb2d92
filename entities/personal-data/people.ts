import { User } from '../company/user.ts';
import { Identity } from '../member/identity.ts';
import { Invitation, INVITATION_RETENTION_DAYS } from '../member/invitation.ts';
import { QueuedMail } from '../mail/queued-mail.ts';
import { Member } from '../member/member.ts';
import { EMAIL_LINK_HOURS, EmailLink } from '../person/email-link.ts';
import { Passkey } from '../person/passkey.ts';
import { Person } from '../person/person.ts';
import { RecoveryCode } from '../person/second-factor.ts';
import { RESET_LINK_MINUTES, ResetLink } from '../person/reset-link.ts';
import { SIGN_IN_RETENTION_DAYS, SignIn, UNKNOWN_SIGN_IN_RETENTION_DAYS, UnknownSignIn } from '../sign-in/sign-in.ts';
import { CHALLENGE_MINUTES, SignInChallenge } from '../sign-in/sign-in-challenge.ts';
import { SESSION_DAYS, SESSION_IDLE_HOURS, WebSession } from '../sign-in/web-session.ts';
import { personalTable } from './table.ts';

const UNTIL_ACCOUNT_ENDS = 'until the account is deleted';
const NOBODY = 'nobody';

/** Tables about the people who sign in. */
export const PEOPLE = [
  personalTable(
    Person,
    {
      identifier: ['uniqueId'],
      email: ['email', 'unclaimedEmail'],
      name: ['name'],
      credential: ['password', 'totpSecret', 'totpConfirmedAt', 'totpLastStep'],
      setting: ['lastCompany', 'mailAssigned', 'mailMentioned', 'mailCommented', 'mailSummary'],
      activity: ['mailRefusedAt', 'mailAttempts', 'mailNextAttemptAt', 'createdAt', 'provenAt'],
    },
    {
      kept: UNTIL_ACCOUNT_ENDS,
      seenBy: 'the person; name and email: admins, auditors, the operator; credentials: nobody',
      erasedBy: ['forget', 'account'],
    },
  ),
  personalTable(
    User,
    { identifier: ['uniqueId'], name: ['name'], none: ['company', 'kind', 'createdAt'] },
    { kept: 'until the member is forgotten', seenBy: 'members and keys of the company', erasedBy: ['forget'] },
  ),
  personalTable(
    Member,
    {
      identifier: ['uniqueId', 'person', 'user'],
      membership: ['role', 'frameworks', 'endsAt', 'endedAt', 'forgottenAt', 'createdAt'],
      digest: ['identity'],
      credential: ['singleSignOn', 'singleSignOnSubject'],
      activity: [
        'resetLinkAt',
        'passwordResetAt',
        'passwordChangedAt',
        'passkeyAddedAt',
        'passkeyRemovedAt',
        'totpEnabledAt',
        'totpDisabledAt',
        'provedAt',
      ],
      none: ['company'],
    },
    {
      kept: 'with the company; the account until the member is forgotten',
      seenBy: 'admins, auditors, the operator',
      erasedBy: ['forget'],
    },
  ),
  personalTable(
    Identity,
    {
      name: ['name'],
      email: ['email'],
      digest: ['identity', 'salt'],
      identifier: ['member'],
      none: ['company', 'event'],
    },
    {
      kept: 'until the member is forgotten',
      seenBy: 'names: readers of events; salts and emails: the person, and readers of proofs',
      erasedBy: ['forget'],
    },
  ),
  personalTable(
    Invitation,
    {
      email: ['email'],
      digest: ['identity', 'salt'],
      membership: ['role', 'frameworks', 'endsAt'],
      credential: ['tokenHash'],
      none: ['company', 'uniqueId', 'mailed', 'expiresAt', 'revokedAt', 'usedAt', 'createdAt'],
    },
    {
      kept: `${INVITATION_RETENTION_DAYS} days after it was used or revoked, or has run out`,
      seenBy: 'admins, auditors, the operator',
      erasedBy: ['forget'],
    },
  ),
  personalTable(
    WebSession,
    {
      identifier: ['uniqueId', 'person'],
      credential: ['tokenHash'],
      address: ['address'],
      userAgent: ['userAgent'],
      activity: ['singleSignOn', 'singleSignOnDomain', 'passkey', 'secondFactorAt', 'createdAt', 'seenAt', 'expiresAt'],
      none: ['company'],
    },
    {
      kept: `until the sign-out, at most ${SESSION_DAYS} days, or ${SESSION_IDLE_HOURS} hours without a request`,
      seenBy: 'the person',
      erasedBy: ['person', 'account', 'forget'],
    },
  ),
  personalTable(
    ResetLink,
    { identifier: ['person'], credential: ['tokenHash'], none: ['mailed', 'expiresAt', 'createdAt'] },
    { kept: `${RESET_LINK_MINUTES} minutes`, seenBy: NOBODY, erasedBy: ['account', 'forget'] },
  ),
  personalTable(
    EmailLink,
    {
      identifier: ['person'],
      email: ['email'],
      credential: ['tokenHash'],
      none: ['byAdmin', 'expiresAt', 'createdAt'],
    },
    { kept: `${EMAIL_LINK_HOURS} hours`, seenBy: NOBODY, erasedBy: ['account', 'forget'] },
  ),
  personalTable(
    QueuedMail,
    {
      email: ['email'],
      identifier: ['person'],
      credential: ['content'],
      activity: ['kind', 'attempts', 'nextAttemptAt', 'createdAt'],
      none: ['uniqueId', 'company', 'expiresAt'],
    },
    {
      kept: 'a day; the content until the mail was sent, or its link has run out',
      seenBy: NOBODY,
      erasedBy: ['account', 'forget'],
    },
  ),
  personalTable(
    RecoveryCode,
    { identifier: ['person'], credential: ['codeHash'] },
    { kept: 'until it is used', seenBy: NOBODY, erasedBy: ['person', 'account', 'forget'] },
  ),
  personalTable(
    Passkey,
    {
      identifier: ['person'],
      credential: ['credentialId', 'publicKey', 'counter', 'transports'],
      activity: ['createdAt', 'lastUsedAt'],
      none: ['uniqueId'],
    },
    { kept: UNTIL_ACCOUNT_ENDS, seenBy: 'the person', erasedBy: ['person', 'account', 'forget'] },
  ),
  personalTable(
    SignInChallenge,
    { identifier: ['person'], email: ['details'], credential: ['hash'], none: ['kind', 'company', 'expiresAt'] },
    { kept: `${CHALLENGE_MINUTES} minutes`, seenBy: NOBODY, erasedBy: ['account', 'forget'] },
  ),
  personalTable(
    SignIn,
    {
      identifier: ['member'],
      email: ['email'],
      activity: ['event', 'method', 'at'],
      address: ['address'],
      userAgent: ['userAgent'],
      none: ['company', 'id'],
    },
    {
      kept: `${SIGN_IN_RETENTION_DAYS} days`,
      seenBy: 'admins, auditors, the operator',
      erasedBy: ['forget'],
    },
  ),
  personalTable(
    UnknownSignIn,
    { email: ['email'], activity: ['method', 'at'], address: ['address'], userAgent: ['userAgent'], none: ['id'] },
    { kept: `${UNKNOWN_SIGN_IN_RETENTION_DAYS} days`, seenBy: 'the operator', erasedBy: ['account', 'forget'] },
  ),
];
