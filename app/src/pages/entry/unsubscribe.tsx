import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { errorDetails } from '../../api/errors.ts';
import { unsubscribe } from '../../api/session.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Entry } from './entry.tsx';
import { LinkNotFound } from './link-not-found.tsx';

/** Turns off the mails to which a link belongs. Only the button does: mail programs open links to check them. */
export function Page() {
  const { token = '' } = useParams({ strict: false });
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: () => unsubscribe(token) });
  if (error !== null && errorDetails(error).status === 404)
    return (
      <LinkNotFound title="Unsubscribe">
        This link is not valid. Open the link in the email again, or sign in and choose under Account which emails you
        want to get.
      </LinkNotFound>
    );
  return (
    <Entry title="Unsubscribe">
      {isSuccess ? (
        <>
          <Text role="status">You will not get these emails any more.</Text>
          <Link to="/account">Sign in to choose which emails you get</Link>
        </>
      ) : (
        <>
          <Text>You will not get emails of this kind any more. Your inbox in the application does not change.</Text>
          {error !== null && <ErrorMessage error={error} />}
          <Button size="sm" loading={isPending} onClick={() => mutate()}>
            Unsubscribe
          </Button>
        </>
      )}
    </Entry>
  );
}
