import { Button, Group, Modal, Radio, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { timeText } from '../../dates.ts';
import { Changes } from './changes.tsx';
import { Difference } from './difference.tsx';
import type { Conflict } from './use-record.ts';
import { fieldLabel, valueText } from './values.ts';
import type { FindName } from './values.ts';
import './record.css';

interface FieldChoiceProps {
  field: Conflict['fields'][number];
  /** Name of the other person. */
  owner: string;
  findName: FindName;
  /** True if the person's own version is chosen. */
  isKept: boolean;
  onChange: (isKept: boolean) => void;
}

/** Both versions of one field, with the words that differ from the state before, and the choice between them. */
function FieldChoice({ field: { name, from, theirs, mine }, owner, findName, isKept, onChange }: FieldChoiceProps) {
  // A description keeps its markup, which is shown as it looks.
  const textOf = (value: unknown) =>
    name === 'description' && typeof value === 'string' ? value : valueText(name, value, findName);
  const versions = [
    { value: 'theirs', label: 'Use theirs', owner, to: theirs },
    { value: 'mine', label: 'Keep mine', owner: 'You', to: mine },
  ];
  return (
    <Radio.Group
      label={fieldLabel(name)}
      name={name}
      value={isKept ? 'mine' : 'theirs'}
      onChange={(choice) => onChange(choice === 'mine')}
    >
      <div className="versions">
        {versions.map((version) => (
          <div key={version.value} className="version">
            <Group justify="space-between" gap="xs" mb={6}>
              <Radio size="xs" value={version.value} label={version.label} />
              <Text size="xs" c="dimmed">
                {version.owner}
              </Text>
            </Group>
            <Difference from={textOf(from)} to={textOf(version.to)} isHtml={name === 'description'} isWhole />
          </div>
        ))}
      </div>
    </Radio.Group>
  );
}

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
