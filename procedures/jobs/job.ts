import type { Database } from '../../database/database.ts';
import type { Session } from '../../database/session.ts';
import type { RetentionStatement, Statement } from '../../entities/statements/define-statement.ts';
import type { Encryption } from '../core/encryption.ts';
import type { TryMail } from '../core/services.ts';
import type { SigningKeys, TimestampAuthority } from '../core/signing.ts';
import type { Storage } from '../core/storage.ts';
import type { SendRequest } from '../webhook/sender.ts';

/** Services that jobs need beside the database. A job does not run in a process that lacks those that it needs. */
export interface JobServices {
  encryption?: Encryption | undefined;
  signing?: SigningKeys | undefined;
  /** Undefined without TIMESTAMP_URL. */
  timestamp?: TimestampAuthority | undefined;
  sendWebhook?: SendRequest;
  /** Undefined without SMTP_URL. */
  mail?: MailServices | undefined;
  /** Stores of files. Undefined for direct callers without files. */
  storage?: Storage | undefined;
  /** Clock of reminders, mails and retention; by default that of the machine. */
  now?: () => Date;
}

/** Services of jobs that send mails. */
export interface MailServices {
  send: TryMail;
  /** Public origin of the server, without a trailing slash. */
  appUrl: () => string;
}

/** Numbers of all companies that metrics read from the database, each in a column of the only row. */
export interface JobGauge {
  name: string;
  help: string;
  statement: Statement<object, Readonly<Record<string, number>>>;
  /** Columns with a value of the label each; one column without a label. */
  columns: readonly string[];
  label?: string;
}

/** Counts of this process by result. */
interface JobCounter {
  name: string;
  help: string;
  counts: Readonly<Record<string, number>>;
}

interface Definition {
  /** Name in metrics and in audit events. Unique. */
  name: string;
  /** Log line of a run that fails. */
  failure: string;
  /** Minimum number of milliseconds between two runs. */
  intervalMs: number;
  /** True if the first run is an interval after the start, and not at the start. */
  startsIdle?: boolean;
  gauges?: readonly JobGauge[];
  counters?: readonly JobCounter[];
}

/** A job that runs at an interval. */
export interface IntervalJob extends Definition {
  kind: 'interval';
  /** Service without which a process does not run the job. */
  needs?: keyof JobServices;
  /** @param signal aborted when the job stops */
  run: (session: Session<null>, context: JobContext & { signal: AbortSignal }) => Promise<unknown>;
}

/** A job that deletes rows in batches, until a batch is not full. */
export interface RetentionJob extends Definition {
  kind: 'retention';
  statement: RetentionStatement;
}

/** Environment of a handler. */
interface JobContext extends JobServices {
  database: Database;
  session: Session<null>;
  /** Logs an error that ends neither a run nor a slice. */
  warn: (error: unknown, line: string) => void;
  /** Logs what the operator must know, but not as a failure. Undefined for direct callers. */
  report?: (fields: object, line: string) => void;
}

/** A job that looks for companies with work and runs a slice of each in turn. */
export interface CompaniesJob extends Definition {
  kind: 'companies';
  /** Log line of a company whose slice fails. */
  companyFailure: string;
  /** Opens the handler for this process; undefined if the process lacks a service that it needs. */
  open: (context: JobContext) => CompaniesHandler | undefined;
}

/**
 * Handler of a companies job. Several processes on one database share the work: its statements lock or lease what they take,
 * skip what another process has, and leave it to others when the process is killed.
 */
export interface CompaniesHandler {
  /** Companies that may have work, in turn. */
  companies: () => Promise<number[]>;
  /** Runs a slice. @returns true if the company may have more work */
  runSlice: (company: number) => Promise<boolean>;
  /** Resolves when work may be due before the interval has passed. */
  next?: () => Promise<unknown>;
  /** Ends work in flight, after the last slice. */
  stop?: () => Promise<void>;
}

/** A job: its definition and its handler. */
export type Job = IntervalJob | RetentionJob | CompaniesJob;
