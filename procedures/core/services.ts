import { ApiError } from '../../entities/api-error.ts';
import type { Encryption } from './encryption.ts';
import type { Signing, SigningKeys } from './signing.ts';
import type { Storage } from './storage.ts';

/** A mail with the same content as text and as HTML. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** URL at which a POST turns mails of this kind off. https://www.rfc-editor.org/rfc/rfc8058 */
  unsubscribeUrl?: string;
}

/**
 * Outcome of one attempt to send a mail. `rejected`: the mailbox does not exist. `reason` has the command and the reply of the mail
 * server in one line, without links and addresses.
 */
export type MailOutcome = { result: 'sent' } | { result: 'deferred' | 'rejected'; reason: string };

/** Makes one attempt to send a mail. */
export type TryMail = (mail: Mail) => Promise<MailOutcome>;

/** Services that procedures for people need beside the database. */
export interface Services {
  /** Public origin of the server, without a trailing slash. Known once the server listens. */
  appUrl: () => string;
  /** Undefined if ENCRYPTION_KEY is required and not set. */
  encryption: Encryption | undefined;
  /** Undefined if SIGNING_KEY is required and not set, and for direct callers. */
  signing?: SigningKeys | undefined;
  /** True if mails are sent: SMTP_URL is set, and the company is open. Links then go out by mail, and are shown to nobody. */
  hasMail: boolean;
  /** Undefined without SMTP_URL. */
  tryMail?: TryMail | undefined;
  /** Logs an action of the operator. Undefined for direct callers. */
  report?: (fields: object, line: string) => void;
  /** Bytes that the database may have when it takes a company from another cell; undefined without a limit. */
  databaseMaxBytes?: number | undefined;
  /** Stores of files. Undefined for direct callers. */
  storage?: Storage | undefined;
  /**
   * Checks the scheme and the addresses of a URL that `urlInput` accepted. A name that does not resolve is accepted.
   * @throws ApiError 422 that names the field
   */
  requirePublicUrl: (field: string, url: string) => Promise<void>;
}

/** Services of a request. @throws Error for a direct caller without services */
export function servicesOf({ services }: { services?: Services | undefined }): Services {
  if (services === undefined) throw new Error('context: expected services');
  return services;
}

/** Encryption of secrets that must be read again. @throws ApiError 422 that names the setting */
export function requireEncryption({ encryption }: Pick<Services, 'encryption'>): Encryption {
  if (encryption === undefined)
    throw new ApiError('unprocessable', 'ENCRYPTION_KEY: required on this server; ask its operator to set it');
  return encryption;
}

/** The key that signs now. @throws ApiError 422 that names the setting */
export function requireSigning({ signing }: Pick<Services, 'signing'>): Signing {
  if (signing === undefined)
    throw new ApiError('unprocessable', 'SIGNING_KEY: required on this server; ask its operator to set it');
  return signing.current;
}
