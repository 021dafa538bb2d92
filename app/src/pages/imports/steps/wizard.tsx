import { Button, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { readFile } from '../file/chosen-file.ts';
import type { ChosenFile } from '../file/chosen-file.ts';
import { EXTERNAL_ID, KIND_FACTS } from '../file/facts.ts';
import { guessMapping } from '../file/guess.ts';
import type { Mapping } from '../file/table.ts';
import type { Target } from '../target.tsx';
import { startImport, useImport } from '../use-imports.ts';
import { CheckStep } from './check-step.tsx';
import { ColumnsStep } from './columns-step.tsx';
import { FileStep } from './file-step.tsx';
import { ImportStep } from './import-step.tsx';
import { RunningImport } from './running-import.tsx';
import { Stepper } from './stepper.tsx';
import type { Step } from './stepper.tsx';
import { useOptions } from './use-options.ts';
import { useShownImport } from './use-shown-import.ts';

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
