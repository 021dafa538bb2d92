import { useSuspenseQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';

/** The session of the person who is signed in, for pages inside the shell. */
export function useSession() {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('session: expected a person who is signed in');
  const { role } = data;
  return {
    ...data,
    /** May change members, keys, webhooks and reference data. */
    isAdmin: role === 'admin',
    /** May change tasks and vendors. */
    canWrite: role !== 'auditor',
    /** May see API keys, webhooks, invitations, single sign-on and sign-ins. */
    canReadManagement: role !== 'editor',
  };
}
