import { Group } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';

/** An id with a button that copies it. `label` names it: "Copy id of Cloud Ltd". */
export function CopyableId({ value, label = 'Copy id' }: { value: string | number; label?: string }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <span className="mono">{value}</span>
      <CopyButton value={String(value)} label={label} />
    </Group>
  );
}
