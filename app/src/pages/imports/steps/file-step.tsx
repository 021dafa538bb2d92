import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { FileDrop } from '../../../components/form/file-drop.tsx';
import { KIND_FACTS } from '../file/facts.ts';
import type { ChosenFile } from '../file/chosen-file.ts';
import type { Target } from '../target.tsx';
import { LargeFile } from './large-file.tsx';

interface FileStepProps {
  target: Target;
  /** The file as the browser gives it, and as it was read. */
  input: File | undefined;
  file: ChosenFile | undefined;
  /** Error of the step. */
  error: string | undefined;
  onChoose: (file: File | undefined) => void;
  onContinue: () => void;
}

/** The step "File": a file is dropped or chosen. */
export function FileStep({ target: { kind, framework }, input, file, error, onChoose, onContinue }: FileStepProps) {
  const items = `${kind}s`;
  const template = `data:text/csv;charset=utf-8,${encodeURIComponent(KIND_FACTS[kind].template)}`;
  return (
    <Stack gap="sm">
      <FileDrop
        label="File"
        accept=".csv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
        file={input}
        error={error}
        onChange={onChoose}
      >
        Choose one or drop it here: CSV with a header row, or NDJSON. The next step says which column is which field.
      </FileDrop>
      {file !== undefined && (
        <Text size="sm" role="status" className="chosen">
          <b>{file.name}</b>
          {'table' in file &&
            ` has ${count(file.table.rows.length, 'row')} and ${count(file.table.columns.length, 'column')}.`}
        </Text>
      )}
      {file !== undefined && 'isTooLarge' in file && (
        <LargeFile fileName={file.name} kind={kind} framework={framework} />
      )}
      <Text size="sm" c="dimmed">
        A template has every column for {items} and an example.{' '}
        <Anchor href={template} download={`${items}-template.csv`} inherit underline="always">
          Download template
        </Anchor>
      </Text>
      <Group justify="flex-end">
        <Button onClick={onContinue}>Continue</Button>
      </Group>
    </Stack>
  );
}

const count = (number: number, unit: string) => `${number.toLocaleString('en')} ${number === 1 ? unit : `${unit}s`}`;
