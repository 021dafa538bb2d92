import { Group, Radio, Text } from '@mantine/core';
import { Difference } from '../difference.tsx';
import type { Conflict } from '../edits/types.ts';
import { fieldLabel, valueText } from '../values.ts';
import type { FindName } from '../values.ts';
import './conflict.css';

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
export function FieldChoice({
  field: { name, from, theirs, mine },
  owner,
  findName,
  isKept,
  onChange,
}: FieldChoiceProps) {
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
