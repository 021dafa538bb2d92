import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { timeText } from '../../../dates.ts';
import { Changes } from '../changes.tsx';
import type { Conflict } from '../edits/types.ts';
import type { FindName } from '../values.ts';
import { FieldChoice } from './field-choice.tsx';

interface ConflictDialogProps {
  conflict: Conflict | undefined;
  findName: FindName;
}

/** Shows both versions of what two people changed. Closing it keeps the person's text unsaved in its field. */
export const ConflictDialog = ({ conflict, findName }: ConflictDialogProps) =>
  conflict !== undefined && <Choices conflict={conflict} findName={findName} />;

function Choices({ conflict, findName }: { conflict: Conflict; findName: FindName }) {
  const { fields, others, updatedAt, updatedBy, decide } = conflict;
  // The other version stays in the history. The own one would be lost, so it is proposed.
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set(fields.map(({ name }) => name)));
  const choose = (name: string, isKept: boolean) => {
    const rest = [...kept].filter((one) => one !== name);
    setKept(new Set(isKept ? [...rest, name] : rest));
  };
  return (
    <Modal
      opened
      onClose={() => decide(undefined)}
      title={<span role="alert">Somebody changed this</span>}
      size="xl"
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text size="sm">
          {updatedBy.name} saved a change on {timeText(updatedAt)}, after you opened this page. Compare both versions
          and choose one{fields.length > 1 && ' for each field'}. Their version also stays in the history.
        </Text>
        {fields.map((field) => (
          <FieldChoice
            key={field.name}
            field={field}
            owner={updatedBy.name}
            findName={findName}
            isKept={kept.has(field.name)}
            onChange={(isKept) => choose(field.name, isKept)}
          />
        ))}
        {Object.keys(others).length > 0 && (
          <section aria-label="Other changes">
            <Title order={3} fz="sm">
              Also changed
            </Title>
            <Changes changes={others} findName={findName} />
          </section>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => decide(undefined)}>
            Decide later
          </Button>
          <Button data-autofocus onClick={() => decide(kept)}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
