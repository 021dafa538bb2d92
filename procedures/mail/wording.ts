import type { Principal } from '../../entities/principal.ts';
import { oneLine } from '../core/html.ts';

/** Name of the application in mails. */
export const PRODUCT = 'Compliance';

/** Endings of file names that are not top-level domains: `package.json` is not a host. */
const FILE_ENDINGS =
  'cfg|conf|css|csv|docx?|exe|gif|html?|ini|jpe?g|js|json|log|pdf|php|png|pptx?|sql|svg|toml|ts|tsx|txt|xlsx?|xml|ya?ml';
/** Texts that mail programs turn into a link by themselves: a scheme, `www.`, an IP address, or the name of a host. */
const LINK = new RegExp(
  [
    String.raw`[a-z][a-z\d+.-]*:/`,
    String.raw`\b(?:mailto|tel|sms|javascript|data):\S`,
    String.raw`\bwww\.`,
    String.raw`(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])`,
    // An ideographic full stop ends a sentence too, so that only Latin letters after it make a host.
    String.raw`[\p{L}\p{N}_-](?:\.(?!(?:${FILE_ENDINGS})(?![\p{L}\p{N}.-]))(?:\p{L}{2,}|xn--)|。(?:[a-z]{2,}))`,
  ].join('|'),
  'iu',
);

/** Characters that are not seen, and other forms of letters and dots, are those that mail programs read. */
const readByPrograms = (text: string): string => text.replaceAll(/\p{Cf}+/gu, '').normalize('NFKC');

/** Replaces texts that mail programs would turn into a link. */
export const withoutLinks = (text: string): string =>
  text.replaceAll(/\S+/g, (word) => (LINK.test(readByPrograms(word)) ? '[link]' : word));

/**
 * The name of a company or of a person, unless it holds the name of a host: a mail of this service would then lead there.
 * @param otherwise words for a company or a person without a name
 */
export function nameOr(name: string, otherwise: string): string {
  const isLink = LINK.test(readByPrograms(name).replaceAll('。', '.'));
  return isLink ? otherwise : oneLine(name);
}

/** The name of a company in a sentence. */
export const companyIn = (name: string): string => nameOr(name, 'a company');

/** The person who did something that a mail is about. `person` has the account. */
export type MailActor =
  | { kind: 'person'; name: string }
  | { kind: 'admin'; name: string; company: string }
  | { kind: 'operator' }
  | { kind: 'provider'; company: string };

/** Somebody other than the reader, in a sentence. */
export function actorIn(actor: MailActor): string {
  if (actor.kind === 'operator') return 'the operator of this service';
  if (actor.kind === 'person') return nameOr(actor.name, 'somebody');
  const company = companyIn(actor.company);
  if (actor.kind === 'provider') return `the single sign-on of ${company}`;
  const name = nameOr(actor.name, '');
  return name === '' ? `an admin of ${company}` : `${name} (an admin of ${company})`;
}

/** The caller, who acts for this company. */
export const callerActor = ({ user, role }: Principal, company: string): MailActor =>
  role === null ? { kind: 'operator' } : { kind: 'admin', name: user.name, company };

export const capitalized = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** A calendar date, such as `12 Oct 2026`. */
export const dateIn = (date: string | Date): string =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** A time, such as `12 Oct 2026, 18:00 UTC`. */
export const timeIn = (time: Date): string =>
  `${dateIn(time)}, ${time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })} UTC`;

/** An address of which only the owner knows all: `a…@example.com`. */
export const maskedEmail = (email: string): string => email.replace(/^(.)[^@]*/u, '$1…');
