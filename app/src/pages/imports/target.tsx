import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import type { Kind } from './file/facts.ts';

/** Items that a file contains. */
export interface Target {
  kind: Kind;
  /** Framework of tasks. */
  framework: string | null;
}

const KINDS = [
  { value: 'vendor', label: 'Vendors' },
  { value: 'task', label: 'Tasks' },
] as const;

interface TargetFieldsProps {
  value: Target;
  onChange: (target: Target) => void;
  frameworkError: string | undefined;
}

/** The kind of the items, and the framework of tasks. */
export function TargetFields({ value, onChange, frameworkError }: TargetFieldsProps) {
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions());
  return (
    <Group align="flex-start" mb="md">
      <Select
        label="Kind"
        w={180}
        data={KINDS}
        allowDeselect={false}
        value={value.kind}
        onChange={(kind) => onChange({ ...value, kind: kind === 'task' ? 'task' : 'vendor' })}
      />
      {value.kind === 'task' && (
        <Select
          label="Framework"
          placeholder="Choose a framework"
          w={240}
          data={frameworks.map(({ id, name }) => ({ value: String(id), label: name }))}
          searchable
          error={frameworkError}
          value={value.framework}
          onChange={(framework) => onChange({ ...value, framework })}
        />
      )}
    </Group>
  );
}
