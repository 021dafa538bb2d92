import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  /** The purpose of the page, or the reason that nothing is shown. */
  text: string;
  /** The first action. */
  action?: ReactNode;
}

export function EmptyState({ text, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="sm" py={56} px="md">
      <Text c="dimmed" ta="center" maw={440}>
        {text}
      </Text>
      {action}
    </Stack>
  );
}
