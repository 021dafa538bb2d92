import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import type { Actor } from '../../entities/company/user.ts';
import { evidenceStatements } from '../../entities/evidence/statements.ts';
import { startFile, takeFile } from '../../entities/file/statements.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { insertPerson } from '../../entities/member/statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import type { Storage } from '../../procedures/core/storage.ts';
import { createCaller } from '../../procedures/index.ts';
import { join as joinCompany } from '../../procedures/member/identity.ts';
import type { PEOPLE } from './work.ts';

const MINUTE_MS = 60_000;
/** Working hours in UTC. */
const FIRST_HOUR = 7;
const LAST_HOUR = 16;
/** Gives the new events a time. They have no seals yet. */
const setOwner = defineStatement('sample.owner', 'set local role postgres');
const withoutTriggers = defineStatement('sample.without-triggers', 'set local session_replication_role = replica');
const dateEvents = defineStatement<{ time: string }, never>(
  'sample.date',
  ({ company, time }) => `update audit_event set occurred_at = ${time}::timestamptz, changes = case
    when changes ? 'created_at' then jsonb_set(changes, '{created_at}', to_jsonb(${time}::timestamptz))
    when action = 'vendor.review' then jsonb_set(changes, '{last_review,to,at}', to_jsonb(${time}::text))
    else changes end
  where company_id = ${company} and request_id = 'now'`,
);
const keepDates = defineStatement<object, never>(
  'sample.keep-dates',
  ({ company }) => `update audit_event set request_id = 'sample' where company_id = ${company} and request_id = 'now'`,
);

/** A company that works at given times. */
export class SampleCompany {
  readonly id: number;
  readonly #database: Database;
  readonly #storage: Storage;
  readonly #folder: string;
  #time = Date.parse('2026-06-01T07:00:00Z');

  constructor(id: number, { database, storage, folder }: { database: Database; storage: Storage; folder: string }) {
    this.id = id;
    this.#database = database;
    this.#storage = storage;
    this.#folder = folder;
  }

  session(user: Actor = operatorPrincipal(this.id).user): Session {
    return new Session(this.#database, { ...operatorPrincipal(this.id), user }, 'now');
  }

  caller(user?: Actor) {
    return createCaller({
      requestId: 'now',
      caller: user === undefined ? 'operator' : 'apiKey',
      address: null,
      session: this.session(user),
    });
  }

  /** The date of the last event. */
  get date(): string {
    return new Date(this.#time).toISOString().slice(0, 10);
  }

  continueAt(time: string): void {
    this.#time = Date.parse(time);
  }

  /** Passes working time. People begin at nine. */
  #pass(minutes: number): void {
    this.#time += minutes * MINUTE_MS;
    const time = new Date(this.#time);
    if (time.getUTCHours() < LAST_HOUR && time.getUTCHours() >= FIRST_HOUR) return;
    if (time.getUTCHours() >= LAST_HOUR) time.setUTCDate(time.getUTCDate() + 1);
    this.#time = time.setUTCHours(FIRST_HOUR, time.getUTCMinutes(), 0, 0);
  }

  /** Does something, which gets the time that is some minutes later. The events have no seals yet. */
  async after<T>(minutes: number, action: () => Promise<T>): Promise<T> {
    const result = await action();
    this.#pass(minutes);
    await this.#database.transaction(async (runner) => {
      await runner.run(setOwner, {}, {});
      await runner.run(withoutTriggers, {}, {});
      await runner.run(dateEvents, { time: new Date(this.#time).toISOString() }, { company: this.id });
      await runner.run(keepDates, {}, { company: this.id });
    }, performance.now() + MINUTE_MS);
    return result;
  }

  /** Makes a person a member. */
  async join(name: string, role: (typeof PEOPLE)[number][1]): Promise<Actor> {
    const email = `${name.split(' ')[0]?.toLowerCase()}@northwind.example`;
    const user: Actor = { uniqueId: newUniqueId(), name, kind: 'human' };
    const session = this.session(user);
    const { unique_id: person } = await session.one(insertPerson, {
      uniqueId: newUniqueId(),
      email,
      name,
      password: null,
    });
    await session.transaction((inside) => joinCompany(inside, { person, name, email, role, frameworks: null }));
    return user;
  }

  /** Attaches a file to a task or a vendor. */
  async attach(user: Actor, parent: { taskUniqueId?: string; vendor?: string }, given: NewFile): Promise<void> {
    const session = this.session(user);
    const bytes = randomBytes(given.size);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = { path: join(this.#folder, newUniqueId()), size: bytes.length, sha256 };
    await writeFile(file.path, bytes);
    const fileId = newUniqueId();
    await session.run(startFile, { purpose: 'evidence', uniqueId: fileId, ...file, store: this.#storage.current });
    await this.#storage.store(this.#storage.current).put({ company: this.id, uniqueId: fileId }, file);
    await session.one(takeFile, { purpose: 'evidence', uniqueId: fileId, sha256, quotaBytes: 1e9 });
    await session.one(evidenceStatements.insert, {
      uniqueId: newUniqueId(),
      taskUniqueId: parent.taskUniqueId ?? null,
      vendor: parent.vendor ?? null,
      kind: 'file',
      url: null,
      mediaType: 'application/pdf',
      size: file.size,
      sha256,
      fileId,
      name: given.name,
      note: '',
      date: this.date,
      validUntil: given.validUntil,
    });
  }
}

interface NewFile {
  name: string;
  size: number;
  validUntil: string | null;
}
