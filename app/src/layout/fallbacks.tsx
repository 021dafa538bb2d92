import { Button } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { errorDetails } from '../api/errors.ts';
import { isConnected } from '../api/session.ts';
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

/** Milliseconds after which a page that could not be loaded looks for the server again. */
const RETRY_MS = 3000;

/** A page whose code or data could not be loaded, or that failed. */
export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  const latest = useRef(retry);
  useEffect(() => {
    latest.current = retry;
  });
  const isUnreachable = errorDetails(error).status === undefined && error instanceof TypeError;
  useEffect(() => {
    if (!isUnreachable) return undefined;
    const look = async () => {
      if (await isConnected()) latest.current();
    };
    const timer = setInterval(() => void look(), RETRY_MS);
    return () => clearInterval(timer);
  }, [isUnreachable]);
  return (
    <Page title="Something went wrong" action={<Button onClick={() => window.location.reload()}>Reload</Button>}>
      <ErrorMessage title="This page could not be shown" error={error} onRetry={retry} />
    </Page>
  );
}
