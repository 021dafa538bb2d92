import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';

interface CreatedProps {
  what: 'task' | 'vendor' | 'requirement';
  /** Path of its page. */
  path: string;
}

/** Leads to a new object, which the filters of its list may hide. */
export const Created = ({ what, path }: CreatedProps) => (
  <Text size="sm" c="dimmed" mb="xs" role="status">
    The {what} was created. <Link to={path}>Open it</Link>
  </Text>
);
