import { useMembers } from '../../../components/person/use-members.ts';
import { useSession } from '../../../components/use-session.ts';

/** True if the member may create and read proofs: an admin, or an auditor of all frameworks. */
export function useMayProve(): boolean {
  const { isAdmin, role } = useSession();
  const { me } = useMembers();
  return isAdmin || (role === 'auditor' && me?.frameworks === null);
}
