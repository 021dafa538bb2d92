import type { Session } from '../../../database/session.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { resourcesOf } from './paging.ts';
import type { People } from './people.ts';
import { stateAt } from './registers.ts';
import type { RegisterRow } from './registers.ts';

interface Period {
  asOf: string;
  people: People;
  /** The first sequence among the events of the proof, and the last one. */
  first: number;
  head: number;
}

const timeOrNull = (value: unknown) => (typeof value === 'string' ? new Date(value).toISOString() : null);

/** Everybody who was a member by the end of the period, with what opens the digests in the events. Contract, section 26. */
export async function* readMembers(
  session: Session,
  { asOf, people, first, head }: Period,
): AsyncGenerator<RegisterRow> {
  for await (const resource of resourcesOf(session, 'member')) {
    const state = stateAt(resource, asOf);
    if (state === undefined) continue;
    const { columns, last, exists } = state;
    const identities = people.identities.get(resource.uniqueId) ?? [];
    yield {
      uniqueId: resource.uniqueId,
      name: people.get(resource.uniqueId)?.name ?? resource.uniqueId,
      kind: 'human',
      role: exists ? columns['role'] : null,
      frameworks: columns['frameworks'] ?? null,
      createdAt: timeOrNull(columns['created_at']),
      endedAt: exists ? null : (timeOrNull(columns['ended_at']) ?? toIso(last.occurredAt)),
      identities: identities.map(({ sequence, name, email, salt }) => ({
        sequence,
        name,
        email,
        salt,
        proved: sequence >= first && sequence <= head,
      })),
    };
  }
}
