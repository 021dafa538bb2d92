import { Button } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { Page } from '../components/page.tsx';

export function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState text="This page does not exist, or it was moved." action={<Link to="/">Go to the overview</Link>} />
    </Page>
  );
}

/** A page whose code or data could not be loaded, or that failed. */
export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong" action={<Button onClick={() => window.location.reload()}>Reload</Button>}>
      <ErrorMessage title="This page could not be shown" error={error} onRetry={retry} />
    </Page>
  );
}
