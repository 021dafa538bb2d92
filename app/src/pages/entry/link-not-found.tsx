import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Entry } from './entry.tsx';

interface LinkNotFoundProps {
  title: string;
  /** Reason and next step. */
  children: ReactNode;
}

/** Shown for the token of a link that was used or has expired. */
export function LinkNotFound({ title, children }: LinkNotFoundProps) {
  return (
    <Entry title={title}>
      <Text role="alert">{children}</Text>
      <Link to="/sign-in" search={{ to: '/' }}>
        Go to sign-in
      </Link>
    </Entry>
  );
}
