import type { Role } from '../../../entities/member/role.ts';

/** Members by the names under which the story has them. */
export type MemberName = 'mara' | 'jonas' | 'priya' | 'theo';
/** The people and keys who act in the story. */
export type Actor = MemberName | 'scanner' | 'tickets' | 'operator';

interface DemoMember {
  actor: MemberName;
  name: string;
  role: Role;
  /** Days before today on which the person joined. */
  joinedDaysAgo: number;
  /** Days from today to the last day of a guest. */
  endsInDays?: number;
}

/** The members. All names are invented. The auditor is a guest. */
export const MEMBERS: readonly DemoMember[] = [
  { actor: 'mara', name: 'Mara Lindqvist', role: 'admin', joinedDaysAgo: 364 },
  { actor: 'jonas', name: 'Jonas Okafor', role: 'editor', joinedDaysAgo: 363 },
  { actor: 'priya', name: 'Priya Castellan', role: 'editor', joinedDaysAgo: 362 },
  { actor: 'theo', name: 'Theo Marchetti', role: 'auditor', joinedDaysAgo: 150, endsInDays: 60 },
];

/** The API keys. One expires soon, which the overview shows. */
export const KEYS = [
  { actor: 'tickets', name: 'Ticket sync', createdDaysAgo: 361, endsInDays: null },
  { actor: 'scanner', name: 'Vulnerability scanner', createdDaysAgo: 361, endsInDays: 20 },
] as const;

/** Person who does the tasks of a department. */
export const OWNERS = { Security: 'mara', IT: 'jonas', Legal: 'priya', People: 'priya' } as const;
