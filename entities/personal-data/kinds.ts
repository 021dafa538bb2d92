/** A kind of personal data, as the table of docs/privacy.md shows it. */
interface Kind {
  title: string;
  /** Contents, in a few words. */
  contents: string;
  /** Left in lines of the log. */
  logs: string;
  /** Left in events, and in the exports and proofs made from them. */
  events: string;
}

const NOT_LOGGED = 'no';
const NOT_IN_EVENTS = 'no';

/** Kinds of personal data. A column has one of them, or none. */
export const KINDS = {
  name: {
    title: 'name',
    contents: 'name of a person, now and at earlier times',
    logs: NOT_LOGGED,
    events: 'not in the log; shown beside it until the member is forgotten',
  },
  email: {
    title: 'email',
    contents: 'email address, also of people who were only invited or tried to sign in',
    logs: NOT_LOGGED,
    events: 'not in the log, but in `invitation.create` of earlier versions; in proofs until the member is forgotten',
  },
  digest: {
    title: 'digest',
    contents: 'salted SHA-256 of a name and an email; the salt',
    logs: NOT_LOGGED,
    events: 'the digests; the salts in proofs, until the member is forgotten',
  },
  credential: {
    title: 'credential',
    contents: 'hashes of passwords, tokens and codes, passkeys, encrypted TOTP secrets, accounts at identity providers',
    logs: NOT_LOGGED,
    events: NOT_IN_EVENTS,
  },
  address: {
    title: 'IP address',
    contents: 'address of a browser or a client',
    logs: 'sign-ins and resets of passwords',
    events: NOT_IN_EVENTS,
  },
  userAgent: {
    title: 'user agent',
    contents: 'name and version of a browser, as it sends them',
    logs: NOT_LOGGED,
    events: NOT_IN_EVENTS,
  },
  identifier: {
    title: 'pseudonym',
    contents: 'uniqueId of a member, an account or a session; names nobody when name and email are deleted',
    logs: 'requests and sign-ins',
    events: 'yes',
  },
  membership: {
    title: 'membership',
    contents: 'role, frameworks, beginning and end',
    logs: NOT_LOGGED,
    events: 'yes',
  },
  activity: {
    title: 'activity',
    contents: 'times and results of sign-ins, sessions, reading and mails',
    logs: 'requests and sign-ins',
    events: 'the times of changes',
  },
  setting: {
    title: 'setting',
    contents: 'choices of a person: mails, company of the last session',
    logs: NOT_LOGGED,
    events: NOT_IN_EVENTS,
  },
  content: {
    title: 'content',
    contents: 'what people write and upload; it may name anybody',
    logs: NOT_LOGGED,
    events: 'yes; files in proofs only',
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type PersonalKind = keyof typeof KINDS;

/** Ways in which personal data of a table are erased before the company is. */
export const ERASURES = {
  forget: '`member.forget`',
  account: 'deletion of the account',
  person: 'the person, in the application',
  company: 'members, who change or delete it',
} as const;

export type Erasure = keyof typeof ERASURES;
