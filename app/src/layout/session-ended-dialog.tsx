import { Modal, Stack, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { queryClient } from '../api/client.ts';
import { sessionEnd } from '../api/session-end.ts';
import { fetchSession, sessionQuery } from '../api/session.ts';
import { useSession } from '../components/use-session.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Sign-in over the page after the session ended. The page keeps what was typed, and its requests are then sent again. */
export function SessionEndedDialog() {
  const isEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isEnded);
  const { person, company } = useSession();
  const resume = async () => {
    const session = await fetchSession();
    // Data of another person or company must not appear on this page.
    if (session?.person.uniqueId !== person.uniqueId || session.company.id !== company.id) {
      window.location.assign('/');
      return;
    }
    queryClient.setQueryData(sessionQuery.queryKey, session);
    sessionEnd.resume();
  };
  return (
    <Modal opened={isEnded} onClose={() => undefined} withCloseButton={false} title="Sign in again" zIndex={1000}>
      <Stack gap="md">
        <Text size="sm">Your session has ended. What you typed is still here.</Text>
        <SignInForm
          email={person.email}
          returnPath={window.location.pathname + window.location.search}
          onSignedIn={resume}
        />
      </Stack>
    </Modal>
  );
}
