import { Alert, Button, List, Text } from '@mantine/core';
import type { Batch } from './use-batch.ts';

/** Maximum number of errors that are listed. */
const MAX_SHOWN = 10;
const DONE = { update: 'changed', delete: 'deleted' } as const;
const tasks = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'task' : 'tasks'}`;

/** The result of an action on several tasks: errors by task, or a quiet line. */
export function Report({ report, closeReport }: Pick<Batch, 'report' | 'closeReport'>) {
  if (report === undefined) return <div role="status" />;
  const { op, succeeded, failures } = report;
  const done = `${tasks(succeeded)} ${DONE[op]}.`;
  if (failures.length === 0) {
    return (
      <Text size="sm" c="dimmed" mb="xs" role="status">
        {done}
      </Text>
    );
  }
  return (
    <Alert
      color="red"
      variant="outline"
      role="alert"
      mb="xs"
      title={`${tasks(failures.length)} could not be ${DONE[op]}`}
    >
      <Text size="sm">{succeeded > 0 && `${done} `}The tasks below stay selected.</Text>
      <List size="sm" my="xs">
        {failures.slice(0, MAX_SHOWN).map(({ task: { uniqueId, title }, message }) => (
          <List.Item key={uniqueId}>
            <b>{title}</b>: {message}
          </List.Item>
        ))}
      </List>
      {failures.length > MAX_SHOWN && <Text size="sm">And {tasks(failures.length - MAX_SHOWN)} more.</Text>}
      <Button variant="default" onClick={closeReport}>
        Hide
      </Button>
    </Alert>
  );
}
