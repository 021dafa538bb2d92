import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { timeText } from '../../dates.ts';
import { Changes } from './changes.tsx';
import { Difference } from './difference.tsx';
import type { Conflict } from './use-record.ts';
import { fieldLabel, valueText } from './values.ts';
import type { FindName } from './values.ts';

interface Version {
  updatedAt: string;
  updatedBy: { name: string };
}

interface ConflictDialogProps {
  conflict: Conflict<Version, object> | undefined;
  findName: FindName;
}

/** Fields that each change sets. They are not shown. */
const METADATA = new Set(['etag', 'version', 'updatedAt', 'updatedBy', 'active']);

/** Shows both versions of what somebody else changed meanwhile. Closing it keeps the person's text unsaved in its field. */
export function ConflictDialog({ conflict, findName }: ConflictDialogProps) {
  if (conflict === undefined) return null;
  const { base, theirs, mine, decide } = conflict;
  const others = differentFields(base, theirs).filter(([field]) => !Object.hasOwn(mine, field));
  return (
    <Modal
      opened
      onClose={() => decide(undefined)}
      title={<span role="alert">Somebody changed this</span>}
      size="lg"
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text size="sm">
          {theirs.updatedBy.name} saved a change on {timeText(theirs.updatedAt)}, after you opened this page. Compare
          both versions and choose one.
        </Text>
        {Object.entries(mine).map(([field, value]) => (
          <section key={field} aria-label={`Versions of the ${fieldLabel(field).toLowerCase()}`}>
            <Title order={3} fz="sm" mb={4}>
              {fieldLabel(field)}
            </Title>
            <div className="versions">
              <VersionOf owner={theirs.updatedBy.name} {...textsOf(field, base, valueOf(theirs, field), findName)} />
              <VersionOf owner="You" {...textsOf(field, base, value, findName)} />
            </div>
          </section>
        ))}
        {others.length > 0 && (
          <section aria-label="Other changes">
            <Title order={3} fz="sm">
              Also changed
            </Title>
            <Changes changes={Object.fromEntries(others)} findName={findName} />
          </section>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => decide(false)}>
            Use theirs
          </Button>
          <Button data-autofocus onClick={() => decide(true)}>
            Keep mine
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const valueOf = (item: object, field: string): unknown => Object.entries(item).find(([name]) => name === field)?.[1];

const textsOf = (field: string, base: object, value: unknown, findName: FindName) => ({
  from: valueText(field, valueOf(base, field), findName),
  to: valueText(field, value, findName),
});

/** `{from, to}` of the fields that differ. */
const differentFields = (from: object, to: object) =>
  Object.entries(to)
    .map(([field, value]) => [field, { from: valueOf(from, field), to: value }] as const)
    .filter(([field, change]) => !METADATA.has(field) && JSON.stringify(change.from) !== JSON.stringify(change.to));

const VersionOf = ({ owner, from, to }: { owner: string; from: string; to: string }) => (
  <div className="version">
    <Text size="xs" c="dimmed" mb={2}>
      {owner}
    </Text>
    <Difference from={from} to={to} isVersion />
  </div>
);
