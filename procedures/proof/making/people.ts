import type { Session } from '../../../database/session.ts';
import { OPERATOR } from '../../../entities/company/user.ts';
import type { Actor } from '../../../entities/company/user.ts';
import { FIRST_ID } from '../../../entities/ids.ts';
import { FORMER_MEMBER } from '../../../entities/member/forget.ts';
import { pageIdentities, pageUsers } from '../../../entities/proof/reading.ts';
import type { IdentityRow } from '../../../entities/proof/reading.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { readAll, resourcesOf } from './paging.ts';

/** A name that a user had from an event on. */
interface NameRecord {
  sequence: number;
  occurredAt: string;
  name: string;
}

interface User extends Actor {
  /** In the order of their sequences. */
  names: NameRecord[];
}

/** The users of a company with the names that they had, as they are when a proof begins. */
export class People {
  readonly #users: ReadonlyMap<string, User>;
  readonly #asOf: string;
  /** Identities by member, in the order of their sequences. */
  readonly identities: ReadonlyMap<string, readonly IdentityRow[]>;

  private constructor(users: ReadonlyMap<string, User>, identities: People['identities'], asOf: string) {
    this.#users = users;
    this.#asOf = asOf;
    this.identities = identities;
  }

  /** @param head the last sequence in the proof */
  static async read(session: Session, { asOf, head }: { asOf: string; head: number }): Promise<People> {
    const users = new Map<string, User>();
    for await (const user of readAll(
      (after, limit) => session.run(pageUsers, { after, limit }),
      FIRST_ID,
      ({ uniqueId }) => uniqueId,
    ))
      users.set(user.uniqueId, { ...user, names: [] });
    const isBefore = ({ sequence, occurredAt }: Pick<NameRecord, 'sequence' | 'occurredAt'>) =>
      sequence <= head || occurredAt <= asOf;
    const rows: IdentityRow[] = [];
    for await (const row of readAll(
      (after, limit) => session.run(pageIdentities, { after, limit }),
      '',
      ({ identity }) => identity,
    )) {
      const identity = { ...row, occurredAt: toIso(row.occurredAt) };
      if (isBefore(identity)) rows.push(identity);
    }
    rows.sort((a, b) => a.sequence - b.sequence);
    for (const row of rows) users.get(row.member)?.names.push(row);
    for await (const { events } of resourcesOf(session, 'apiKey')) {
      const user = users.get(String(events[0]?.changes['user_id']));
      for (const { sequence, occurredAt, changes, action } of events) {
        const name = newName(action, changes['name']);
        const record = { sequence, occurredAt: toIso(occurredAt) };
        if (name !== undefined && isBefore(record)) user?.names.push({ ...record, name });
      }
    }
    return new People(
      users,
      Map.groupBy(rows, ({ member }) => member),
      asOf,
    );
  }

  /** A user as an event with this sequence shows it: with the name that held then. */
  at(sequence: number) {
    return { get: (id: string) => this.#show(id, (record) => record.sequence <= sequence) };
  }

  /** A user as registers show it: with the name that held at the end of the period. */
  get: (id: string) => Actor | undefined = (id) => this.#show(id, ({ occurredAt }) => occurredAt <= this.#asOf);

  /** True if the name of the user was recorded by the end of the period. */
  hasRecordedName(id: string): boolean {
    const names = this.#users.get(id)?.names ?? [];
    return names.some(({ occurredAt }) => occurredAt <= this.#asOf);
  }

  #show(id: string, holds: (record: NameRecord) => boolean): Actor | undefined {
    const user = this.#users.get(id);
    if (user === undefined) return undefined;
    const { uniqueId, kind, names } = user;
    return { uniqueId, name: (names.findLast(holds) ?? names[0])?.name ?? nameWithoutRecord(user), kind };
  }
}

/** The name that an event of a key gives it. */
function newName(action: string, name: unknown): string | undefined {
  if (action === 'apiKey.create') return typeof name === 'string' ? name : undefined;
  const after: unknown = typeof name === 'object' && name !== null && 'to' in name ? name.to : undefined;
  return typeof after === 'string' ? after : undefined;
}

const nameWithoutRecord = ({ uniqueId, name }: Actor) =>
  uniqueId === OPERATOR.uniqueId || name === FORMER_MEMBER ? name : uniqueId;
