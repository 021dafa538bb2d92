import type { Session } from '../../../database/session.ts';
import { OPERATOR } from '../../../entities/company/user.ts';
import type { Actor } from '../../../entities/company/user.ts';
import { FIRST_ID } from '../../../entities/ids.ts';
import { FORMER_MEMBER } from '../../../entities/member/forget.ts';
import { pageIdentities, pageUsers } from '../../../entities/proof/reading.ts';
import type { IdentityRow } from '../../../entities/proof/reading.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { readAll } from '../../core/read-pages.ts';
import { resourcesOf } from './paging.ts';

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

/** Names that held at a moment. */
export interface Names {
  get: (id: string) => Actor | undefined;
  /** True if no record of the name holds: it is the first one, or the uniqueId. */
  isUnrecorded: (id: string) => boolean;
}

/** The users of a company with the names that they had, as they are when a proof begins. */
export class People implements Names {
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

  /** Users as an event with this sequence shows them: with the names that held then. */
  at(sequence: number): Names {
    return this.#names((record) => record.sequence <= sequence);
  }

  /** A user as registers show it: with the name that held at the end of the period. */
  get: Names['get'] = (id) => this.#atEnd.get(id);

  isUnrecorded: Names['isUnrecorded'] = (id) => this.#atEnd.isUnrecorded(id);

  get #atEnd(): Names {
    return this.#names(({ occurredAt }) => occurredAt <= this.#asOf);
  }

  #names(holds: (record: NameRecord) => boolean): Names {
    return {
      get: (id) => this.#show(id, holds),
      isUnrecorded: (id) => {
        const user = this.#users.get(id);
        if (user === undefined || user.names.some(holds)) return false;
        return user.names.length > 0 || nameWithoutRecord(user) === id;
      },
    };
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
