import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { queryClient } from '../../api/client.ts';
import { localPath } from '../../api/search.ts';
import { serviceQuery } from '../../api/session.ts';
import { SignInForm } from '../../layout/sign-in-form.tsx';
import { Entry } from './entry.tsx';

export function Page() {
  const router = useRouter();
  const { to } = useSearch({ strict: false });
  const { data: facts } = useQuery(serviceQuery);
  const returnPath = localPath(to);
  const continueTo = async () => {
    queryClient.clear();
    await router.navigate({ href: returnPath, replace: true });
  };
  return (
    <Entry title="Sign in" company={facts?.company}>
      <SignInForm returnPath={returnPath} onSignedIn={continueTo} />
      <Text size="xs" c="dimmed">
        No account yet? Ask an admin of your company to invite you.
        <br />
        No longer a member? <Link to="/delete-account">Delete my account</Link>
      </Text>
    </Entry>
  );
}
