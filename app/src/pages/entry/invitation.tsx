import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { errorDetails } from '../../api/errors.ts';
import { lookAtInvitation } from '../../api/session.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { AcceptForm } from './accept-form.tsx';
import { Entry } from './entry.tsx';
import { LinkNotFound } from './link-not-found.tsx';

/** Height in pixels of the form of a person who has an account. */
const FORM_HEIGHT = 158;

/** Shows an invitation and accepts it. */
export function Page() {
  const { token = '' } = useParams({ strict: false });
  const [wasUsed, setWasUsed] = useState(false);
  // A second look, for example after a change of the window, would take away what was typed.
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => lookAtInvitation(token),
    staleTime: Infinity,
  });
  if (wasUsed || (error !== null && errorDetails(error).status === 404))
    return (
      <LinkNotFound title="This invitation does not work">
        The link was used, revoked or replaced, or has expired. If you accepted it before, sign in. Otherwise ask the
        person who invited you for a new one.
      </LinkNotFound>
    );
  return (
    <Entry title="Accept the invitation">
      {error !== null && (
        <ErrorMessage title="The invitation could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && (
        <Stack gap="lg" aria-busy="true">
          <Skeleton height={42} />
          <Skeleton height={FORM_HEIGHT} />
        </Stack>
      )}
      {data !== undefined && <AcceptForm invitation={data} token={token} onNotFound={() => setWasUsed(true)} />}
    </Entry>
  );
}
