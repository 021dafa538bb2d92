import { Text } from '@mantine/core';
import { Link, useRouter, useSearch } from '@tanstack/react-router';

import { queryClient } from '../../api/client.ts';
import { localPath } from '../../api/search.ts';
import { SignInForm } from '../../layout/sign-in-form.tsx';
import { Entry } from './entry.tsx';

export function Page() {
  const router = useRouter();
  const { to } = useSearch({ strict: false });
  const returnPath = localPath(to);
  const continueTo = async () => {
    queryClient.clear();
    await router.navigate({ href: returnPath, replace: true });
  };
  return (
    <Entry title="Sign in">
      <SignInForm returnPath={returnPath} onSignedIn={continueTo} />
      <Text size="xs" c="dimmed">
        Not a member any more? <Link to="/delete-account">Delete my account</Link>
      </Text>
    </Entry>
  );
}
