import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { readFile } from './file.ts';
import type { ChosenFile } from './file.ts';
import { FileDrop } from './file-drop.tsx';
import { LargeFile } from './large-file.tsx';
import { PreviewTable } from './preview-table.tsx';
import { Result } from './result.tsx';
import type { Target } from './target.tsx';
import { startImport, useImport } from './use-import-run.ts';
import type { Options } from './use-import-run.ts';

type Mode = NonNullable<Options['mode']>;

const MODES = [
  { value: 'replace', label: 'Replace: missing fields get their default' },
  { value: 'merge', label: 'Merge: missing fields keep their value' },
] as const satisfies readonly { value: Mode; label: string }[];

interface Values {
  mode: Mode;
  source: string;
  strict: boolean;
}
const INITIAL: Values = { mode: 'replace', source: '', strict: false };
const FILE_ERRORS = { empty: 'The file is empty.', 'not UTF-8': 'The file is not UTF-8. Save it as “CSV UTF-8”.' };

interface ImportFormProps {
  target: Target;
  /** Shows that a framework is missing. */
  onFrameworkMissing: () => void;
}

/** Checks and imports a file: the file, options, a dry run, and the result. */
export function ImportForm({ target: { kind, framework }, onFrameworkMissing }: ImportFormProps) {
  const form = useServerForm(INITIAL);
  const [file, setFile] = useState<ChosenFile>();
  const [fileError, setFileError] = useState<string>();
  const [started, setStarted] = useState<{ uniqueId: string; dryRun: boolean }>();
  const [pending, setPending] = useState<'dryRun' | 'import'>();
  const { data: item, error: readError } = useImport(started?.uniqueId);

  const choose = async (chosen: File | undefined) => {
    setStarted(undefined);
    setFileError(undefined);
    setFile(undefined);
    if (chosen === undefined) return;
    const checked = await readFile(chosen);
    setFile(checked);
    if ('error' in checked && checked.error !== 'too large') setFileError(FILE_ERRORS[checked.error]);
  };

  const run = async (dryRun: boolean) => {
    if (file === undefined) return setFileError('Choose a file.');
    if ('error' in file) return undefined;
    if (kind === 'task' && framework === null) return onFrameworkMissing();
    setStarted(undefined);
    setPending(dryRun ? 'dryRun' : 'import');
    const { content, format } = file;
    await form.submit(async ({ source, ...options }) => {
      const { uniqueId } = await startImport(
        { kind, framework: framework === null ? null : Number(framework) },
        { ...options, ...(source !== '' && { source }), content, format, dryRun },
      );
      setStarted({ uniqueId, dryRun });
    });
    return setPending(undefined);
  };

  return (
    <Stack gap="sm">
      <FileDrop onChange={(chosen) => void choose(chosen)} error={fileError} />
      {file !== undefined && 'preview' in file && <PreviewTable preview={file.preview} />}
      {file !== undefined && 'error' in file && file.error === 'too large' && (
        <LargeFile fileName={file.name} kind={kind} framework={framework} />
      )}
      <div className="import-options">
        <Select
          label="Mode"
          data={MODES}
          allowDeselect={false}
          {...form.field('mode')}
          onChange={(mode) => form.set('mode', mode === 'merge' ? 'merge' : 'replace')}
        />
        <TextInput label="Source" placeholder="System of the external ids, for example erp" {...form.text('source')} />
      </div>
      <Text size="xs" c="dimmed">
        With a source, each row creates or updates the item with its externalId. Without one, each row creates an item.
      </Text>
      <Checkbox
        label="Strict: write nothing if a row has an error"
        checked={form.values.strict}
        onChange={({ currentTarget }) => form.set('strict', currentTarget.checked)}
      />
      {form.error !== undefined && <ErrorMessage title="The file could not be sent" error={form.error} />}
      <Group gap="xs">
        <Button
          variant="default"
          loading={pending === 'dryRun'}
          disabled={pending === 'import'}
          onClick={() => void run(true)}
        >
          Dry run
        </Button>
        <Button loading={pending === 'import'} disabled={pending === 'dryRun'} onClick={() => void run(false)}>
          Import
        </Button>
        <Text size="xs" c="dimmed">
          A dry run checks every row and writes nothing.
        </Text>
      </Group>
      {readError !== null && <ErrorMessage title="The result could not be loaded" error={readError} />}
      {started !== undefined && item !== undefined && <Result item={item} />}
    </Stack>
  );
}
