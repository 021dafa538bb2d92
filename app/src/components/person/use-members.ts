import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { useSession } from '../use-session.ts';

/** A member of the company as every member sees it. */
export type Member = Outputs['member']['list'][number];

const STALE_MS = 60_000;

/** The members of the company, also those who have ended. All parts of a page share one request. */
const membersQuery = trpc.member.list.queryOptions(undefined, { staleTime: STALE_MS });

/** True if tasks of a framework can be given to a member. Vendors belong to no framework. */
export const maySee = ({ ended, frameworks }: Member, framework?: number): boolean =>
  !ended && (frameworks === null || framework === undefined || frameworks.includes(framework));

/** The name of a member; with the email if another one has the same name. */
export function nameIn(members: readonly Member[], { uniqueId, name }: Pick<Member, 'uniqueId' | 'name'>): string {
  const namesakes = members.filter((member) => member.name === name);
  const email = namesakes.find((member) => member.uniqueId === uniqueId)?.email;
  return namesakes.length > 1 && email !== undefined ? `${name} (${email})` : name;
}

const byState = (one: Member, other: Member): number =>
  Number(one.ended) - Number(other.ended) || one.name.localeCompare(other.name);

/** The members, those who are active first, then by name; and the member who is signed in. */
export function useMembers() {
  const { member: ownId } = useSession();
  const { data, error, refetch } = useQuery(membersQuery);
  const members = data?.toSorted(byState) ?? [];
  return {
    members,
    isLoaded: data !== undefined,
    me: members.find(({ uniqueId }) => uniqueId === ownId),
    error,
    refetch,
  };
}
