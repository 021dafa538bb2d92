import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../components/page.tsx';

/** A page without navigation, with one form. */
export function Entry({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <main className="entry">
      <div className="entry-card">
        <Stack gap="lg">
          <Title order={1}>{title}</Title>
          {children}
        </Stack>
      </div>
    </main>
  );
}
