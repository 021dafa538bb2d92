import { useMutation } from '@tanstack/react-query';
import { signOut } from '../api/session.ts';
import { sendDelayed } from '../components/undo/undo.ts';

/** Ends the session. The whole application is loaded again, because its pages must not show data of one person to another. */
export const useSignOut = () =>
  useMutation({
    onMutate: sendDelayed,
    mutationFn: signOut,
    onSuccess: () => window.location.assign('/sign-in'),
  });
