import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../components/page.tsx';

interface EntryProps {
  title: string;
  /** Name of the company if the service has only one. */
  company?: string | null | undefined;
  children: ReactNode;
}

/** A page without navigation, with one form. */
export function Entry({ title, company, children }: EntryProps) {
  usePageTitle(title);
  return (
    <main className="entry">
      <div className="entry-card">
        <Stack gap="lg">
          <div>
            <Text className="entry-product">Compliance{typeof company === 'string' && <span> · {company}</span>}</Text>
            <Title order={1}>{title}</Title>
          </div>
          {children}
        </Stack>
      </div>
    </main>
  );
}
