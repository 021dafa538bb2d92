import { Alert, Button, Checkbox, Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { FileDrop } from '../../../components/form/file-drop.tsx';
import { useSession } from '../../../components/use-session.ts';
import { formatOf, readFile } from '../file/chosen-file.ts';
import type { ChosenFile } from '../file/chosen-file.ts';
import { EXTERNAL_ID, KIND_FACTS } from '../file/facts.ts';
import { guessMapping } from '../file/guess.ts';
import type { Mapping } from '../file/table.ts';
import type { SentRows } from '../rejected-rows.tsx';
import { Result } from '../result.tsx';
import type { Target } from '../target.tsx';
import { doneRows, hasEnded, startImport, useImport, useImports } from '../use-imports.ts';
import type { Import } from '../use-imports.ts';
import { ColumnsStep } from './columns-step.tsx';
import { useOptions } from './use-options.ts';
import type { OptionsForm } from './use-options.ts';
import { useShownImport } from './use-shown-import.ts';

interface LargeFileProps {
  fileName: string;
  kind: Target['kind'];
  framework: string | null;
}

/** The way to import a file that is too large for the browser: a request with an API key. */
function LargeFile({ fileName, kind, framework }: LargeFileProps) {
  const path =
    kind === 'vendor'
      ? '/external/smart-inventory/vendor/import'
      : `/external/task/framework/${framework ?? '{framework}'}/import`;
  const type = formatOf(fileName) === 'ndjson' ? 'application/x-ndjson' : 'text/csv';
  const command = `curl -X POST '${window.location.origin}${path}' -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: ${type}' --data-binary '@${fileName.replaceAll("'", `'\\''`)}'`;
  return (
    <Alert color="red" variant="outline" role="alert" title="The file is too large for this page">
      <Text size="sm">
        Pages send up to 8 MiB. Split the file, or send up to 64 MiB with an API key that may write {kind}s:
      </Text>
      <Group gap="xs" wrap="nowrap" align="flex-start" className="secret" mt="xs">
        <code className="mono">{command}</code>
        <CopyButton value={command} label="Copy command" />
      </Group>
    </Alert>
  );
}

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
function FileStep({ target: { kind, framework }, input, file, error, onChoose, onContinue }: FileStepProps) {
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
        <a href={template} download={`${items}-template.csv`}>
          Download template
        </a>
      </Text>
      <Group justify="flex-end">
        <Button onClick={onContinue}>Continue</Button>
      </Group>
    </Stack>
  );
}

const count = (number: number, unit: string) => `${number.toLocaleString('en')} ${number === 1 ? unit : `${unit}s`}`;

interface CheckStepProps {
  item: Import;
  at: number;
  /** Rows of the file, if it is in this page and was not changed since. */
  sentRows: SentRows | undefined;
  form: OptionsForm;
  onBack: () => void;
  onImport: () => void;
}

/** The step "Check": a dry run shows what an import would do. */
function CheckStep({ item, at, sentRows, form, onBack, onImport }: CheckStepProps) {
  const { state, created, updated, failed } = item;
  const isUseful = state === 'done' && created + updated > 0;
  const isReady = isUseful && sentRows !== undefined;
  return (
    <Stack gap="sm">
      <Result item={item} at={at} sentRows={sentRows} />
      {isReady && (
        <Checkbox
          label="All or nothing: import nothing if a row is rejected"
          checked={form.values.strict}
          error={
            form.values.strict &&
            failed > 0 &&
            'Nothing will be imported, because rows are rejected. Correct the file, or import the other rows.'
          }
          onChange={({ currentTarget }) => form.set('strict', currentTarget.checked)}
        />
      )}
      {isUseful && sentRows === undefined && (
        <Text size="sm">
          The file and the columns of this check are not in this page any more. Go back and check again.
        </Text>
      )}
      {form.error !== undefined && <ErrorMessage title="The file could not be sent" error={form.error} />}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        {isReady && (
          <Button loading={form.isPending} onClick={onImport}>
            Import
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface ImportStepProps {
  item: Import;
  at: number;
  /** Rows of the file, if it is in this page and was not changed since. */
  sentRows: SentRows | undefined;
  onBack: () => void;
  onRestart: () => void;
}

/** The step "Import": progress and result. */
function ImportStep({ item, at, sentRows, onBack, onRestart }: ImportStepProps) {
  const isIncomplete = item.state === 'canceled' || item.state === 'failed';
  return (
    <Stack gap="sm">
      <Result item={item} at={at} sentRows={sentRows} />
      {hasEnded(item) && (
        <Group justify="space-between">
          {isIncomplete && sentRows !== undefined && (
            <Button variant="default" onClick={onBack}>
              Back
            </Button>
          )}
          <Button onClick={onRestart}>Import another file</Button>
        </Group>
      )}
    </Stack>
  );
}

const STEPS = ['File', 'Columns', 'Check', 'Import'] as const;
type Step = (typeof STEPS)[number];

/** The steps of an import, and the heading of the present one. It gets the focus when the step changes. */
function Stepper({ step }: { step: Step }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus();
    shown.current = step;
  }, [step]);
  const position = STEPS.indexOf(step);
  return (
    <>
      <ol className="stepper" aria-label="Steps of the import">
        {STEPS.map((name, index) => (
          <li key={name} aria-current={name === step ? 'step' : undefined} data-done={index < position || undefined}>
            <span aria-hidden>{index < position ? '✓' : index + 1}</span>
            <span>{name}</span>
            {index < position && <VisuallyHidden>, done</VisuallyHidden>}
          </li>
        ))}
      </ol>
      <h3 ref={heading} tabIndex={-1}>
        {step}
      </h3>
    </>
  );
}

/** Leads back to an import of this person that still runs. */
function RunningImport({ onShow }: { onShow: (uniqueId: string) => void }) {
  const { member } = useSession();
  const { data } = useImports();
  const item = data?.pages
    .flatMap(({ items }) => items)
    .find((one) => !one.dryRun && !hasEnded(one) && one.createdBy.uniqueId === member);
  if (item === undefined) return null;
  const { uniqueId, kind, rows } = item;
  return (
    <Group className="notice" gap="sm" wrap="nowrap">
      <Text size="sm" style={{ flex: 1 }}>
        Your import of {kind}s continues
        {rows > 0 && `: ${doneRows(item).toLocaleString('en')} of ${rows.toLocaleString('en')} rows`}.
      </Text>
      <Button variant="default" size="xs" onClick={() => onShow(uniqueId)}>
        Show import
      </Button>
    </Group>
  );
}

/** Returns true for the name of a column that is a field of a vendor or of a task. */
const isKnown = (name: string): boolean =>
  Object.values(KIND_FACTS).some(({ fields }) => guessMapping([name], fields)[0] !== null);

interface WizardProps {
  target: Target;
  /** Shows that a framework is missing. */
  onFrameworkMissing: () => void;
}

/** Imports a file in four steps. The URL has the dry run of the step "Check", and the import of the step "Import". */
export function Wizard({ target: { kind, framework }, onFrameworkMissing }: WizardProps) {
  const [shown, show] = useShownImport();
  const { data: item, error: readError, dataUpdatedAt: at, refetch } = useImport(shown);
  const form = useOptions();
  const [input, setInput] = useState<File>();
  const [file, setFile] = useState<ChosenFile>();
  const [fileError, setFileError] = useState<string>();
  const [hasFile, setHasFile] = useState(false);
  const [chosen, setChosen] = useState<{ kind: Target['kind']; mapping: Mapping }>();
  /** Choices of each import of the file, by its uniqueId. */
  const [sent, setSent] = useState<Readonly<Record<string, string>>>({});

  const table = file !== undefined && 'table' in file ? file.table : undefined;
  const mapping = chosen?.kind === kind ? chosen.mapping : guessMapping(table?.columns ?? [], KIND_FACTS[kind].fields);
  const choices = JSON.stringify([kind, framework, mapping, form.values.source, form.values.mode]);

  const choose = async (next: File | undefined) => {
    setInput(next);
    setFileError(undefined);
    setFile(undefined);
    setChosen(undefined);
    setSent({});
    if (next === undefined) return;
    const read = await readFile(next, isKnown);
    setFile(read);
    if ('error' in read) setFileError(read.error);
  };
  const continueToColumns = () => {
    if (file === undefined) return setFileError('Choose a file.');
    if (!('table' in file)) return undefined;
    if (kind === 'task' && framework === null) return onFrameworkMissing();
    return setHasFile(true);
  };
  const start = async (dryRun: boolean) => {
    if (file === undefined || !('table' in file)) return;
    await form.submit(async ({ mode, source, strict }) => {
      const { uniqueId } = await startImport(
        { kind, framework: framework === null ? null : Number(framework) },
        {
          content: file.table.write(mapping),
          format: file.format,
          dryRun,
          ...(mapping.includes(EXTERNAL_ID) && source !== '' && { source, mode }),
          // A check shows the rejected rows in any case.
          strict: strict && !dryRun,
        },
      );
      setSent((others) => ({ ...others, [uniqueId]: choices }));
      show(uniqueId);
    });
  };
  const restart = () => {
    setHasFile(false);
    void choose(undefined);
    form.reset();
    show(undefined);
  };

  const sentRows =
    table !== undefined && shown !== undefined && sent[shown] === choices
      ? {
          valueOf: (row: number, field: string) => table.rows[row - 1]?.[mapping.indexOf(field)],
          widthError: table.widthError,
        }
      : undefined;
  const run = item === undefined ? undefined : { item, at, sentRows };
  const step = stepOf(shown, item?.dryRun, hasFile && table !== undefined);
  if (shown !== undefined && run === undefined && readError === null) return <Skeleton height={240} />;
  return (
    <Stack gap="sm">
      <Stepper step={step} />
      {step === 'File' && (
        <>
          <RunningImport onShow={show} />
          <FileStep
            target={{ kind, framework }}
            input={input}
            file={file}
            error={fileError}
            onChoose={(next) => void choose(next)}
            onContinue={continueToColumns}
          />
        </>
      )}
      {step === 'Columns' && table !== undefined && (
        <ColumnsStep
          kind={kind}
          table={table}
          mapping={mapping}
          form={form}
          onChange={(next) => setChosen({ kind, mapping: next })}
          onBack={() => setHasFile(false)}
          onCheck={() => void start(true)}
        />
      )}
      {shown !== undefined && readError !== null && (
        <>
          <ErrorMessage title="The import could not be loaded" error={readError} onRetry={() => void refetch()} />
          <Button variant="default" onClick={restart}>
            Import another file
          </Button>
        </>
      )}
      {step === 'Check' && run !== undefined && (
        <CheckStep {...run} form={form} onBack={() => show(undefined)} onImport={() => void start(false)} />
      )}
      {step === 'Import' && run !== undefined && (
        <ImportStep {...run} onBack={() => show(undefined)} onRestart={restart} />
      )}
    </Stack>
  );
}

function stepOf(shown: string | undefined, isDryRun: boolean | undefined, hasFile: boolean): Step {
  if (shown !== undefined) return isDryRun === true ? 'Check' : 'Import';
  return hasFile ? 'Columns' : 'File';
}
