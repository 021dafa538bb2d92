import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { InputError } from '../../api/errors.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { reloadRequirements } from '../../components/requirement/use-requirements.ts';
import { CheckStep } from './check-step.tsx';
import { ColumnsStep, formOfDates, useOptions } from './columns-step.tsx';
import { FileStep } from './file-step.tsx';
import type { Target } from './file-step.tsx';
import { EXTERNAL_ID, FRAMEWORK, isOfFramework, recognize, requiredOf } from './file/columns.ts';
import type { Kind, Mapping } from './file/columns.ts';
import { isSendable, readFile } from './file/read-file.ts';
import type { ChosenFile } from './file/read-file.ts';
import {
  answerKey,
  asSaid,
  countFrameworks,
  datesOf,
  guessFields,
  guessHeading,
  selectRows,
  tableOf,
  writeTable,
} from './file/table.ts';
import type { Answers } from './file/table.ts';
import { count } from './findings.tsx';
import type { FindRow } from './findings.tsx';
import { Result } from './result.tsx';
import { Stepper } from './stepper.tsx';
import type { Step } from './stepper.tsx';
import { UndoImport } from './undo-import.tsx';
import { hasEnded, startImport, useImport, useLeftOut } from './use-imports.ts';
import type { Options } from './use-imports.ts';
import { unfitValues, ValuesStep } from './values-step.tsx';
import type { UnfitValue } from './values-step.tsx';

const NOTHING: Answers = new Map();

interface WizardProps {
  /** Kind and framework of the page that led here. */
  initial: Target;
  /** uniqueId of the import in the URL: the dry run of the step "Check", or the import of the step "Import". */
  shown: string | undefined;
  show: (uniqueId: string | undefined) => void;
}

/** Imports a file in five steps. */
export function Wizard({ initial, shown, show }: WizardProps) {
  const { data: item, error: readError, dataUpdatedAt: at, refetch } = useImport(shown);
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions());
  const { data: remembered } = useQuery(trpc.import.answers.queryOptions());
  const form = useOptions();
  const [given, setTarget] = useState(initial);
  const [input, setInput] = useState<File>();
  const [file, setFile] = useState<ChosenFile>();
  const [fileError, setFileError] = useState<string>();
  const [isTried, setIsTried] = useState(false);
  const [sheetIndex, setSheet] = useState(0);
  const [givenHeading, setHeading] = useState<number>();
  const [chosen, setChosen] = useState<{ kind: Kind; mapping: Mapping }>();
  const [back, setBack] = useState<'Columns' | 'Values'>();
  /** Values that were shown, and the answers of the person and those that are applied, by key. */
  const [asked, setAsked] = useState<readonly UnfitValue[]>([]);
  const [answers, setAnswers] = useState(NOTHING);
  const [applied, setApplied] = useState(NOTHING);
  /** Choices of each import of the file, by its uniqueId. */
  const [sent, setSent] = useState<Readonly<Record<string, string>>>({});

  const isWritten = item !== undefined && !item.dryRun && hasEnded(item);
  useEffect(() => {
    // The outline of a framework may have been read before.
    if (isWritten) void reloadRequirements();
  }, [isWritten]);

  const sheet = file !== undefined && 'sheets' in file ? file.sheets[sheetIndex] : undefined;
  const heading = useMemo(() => givenHeading ?? (sheet === undefined ? 0 : guessHeading(sheet)), [givenHeading, sheet]);
  const table = useMemo(() => sheet && tableOf(sheet, heading), [sheet, heading]);
  const headings = table?.headings ?? [];
  const recognized = recognize(headings);
  const catalog = file !== undefined && 'catalog' in file ? file.catalog : undefined;
  const kind = catalog === undefined ? (given.kind ?? (headings.length === 0 ? undefined : recognized)) : 'requirement';
  const guessed = useMemo(() => (table && kind ? guessFields(table, kind) : []), [table, kind]);
  const mapping = chosen !== undefined && chosen.kind === kind ? chosen.mapping : guessed;

  // A file may have rows of several frameworks. An import takes those of one.
  const counts = useMemo(() => (table ? countFrameworks(table, mapping) : new Map<string, number>()), [table, mapping]);
  const rowsOf = ({ id, name }: { id: number; name: string }) =>
    [...counts].reduce((sum, [text, rows]) => sum + (isNamed(text, id, name) ? rows : 0), 0);
  const active = frameworks.filter(({ archived }) => !archived);
  const inFile = isOfFramework(kind) ? active.filter((one) => rowsOf(one) > 0) : [];
  const framework = given.framework ?? String((active.length === 1 ? active : inFile)[0]?.id ?? '');
  const current = active.find(({ id }) => String(id) === framework);
  const target: Target = { kind, framework: current === undefined ? undefined : framework };
  const others = inFile.filter(({ id }) => String(id) !== framework);
  const next = inFile[inFile.findIndex(({ id }) => String(id) === framework) + 1];

  const isBySource = mapping.includes(EXTERNAL_ID) && form.values.source !== '';
  const selectionOf = (duplicates: string) =>
    kind && {
      kind,
      mapping,
      framework: isOfFramework(kind) && current !== undefined ? [current.name, framework, ''] : undefined,
      // A ref that comes twice changes what its first row made.
      isOnce: !isBySource && duplicates === 'skip' && kind !== 'requirement',
    };
  const { duplicates: chosenDuplicates } = form.values;
  const selected = useMemo(() => {
    const selection = selectionOf(chosenDuplicates);
    return table && selection && selectRows(table, selection);
  }, [table, kind, mapping, current, isBySource, chosenDuplicates]);
  /** What an import of the file depends on, as text. */
  const choicesOf = (answered: Answers, duplicates: string) => {
    const { source, mode, dates } = form.values;
    const choices = { kind, framework, sheetIndex, heading, mapping, source, mode, dates, duplicates };
    return JSON.stringify({ ...choices, answered: [...answered] });
  };

  const forget = () => {
    setChosen(undefined);
    setAsked([]);
    setAnswers(NOTHING);
    setApplied(NOTHING);
    setBack(undefined);
  };
  const choose = async (chosenFile: File | undefined) => {
    setInput(chosenFile);
    setFileError(undefined);
    setFile(undefined);
    setSheet(0);
    setHeading(undefined);
    forget();
    setSent({});
    if (chosenFile === undefined) return;
    const read = await readFile(chosenFile);
    setFile(read);
    if ('error' in read) setFileError(read.error);
  };
  const continueToColumns = () => {
    setIsTried(true);
    if (file === undefined) return setFileError('Choose a file.');
    const isMissing = kind === undefined || (isOfFramework(kind) && target.framework === undefined);
    if (catalog !== undefined && !isMissing) return void start(true);
    if (sheet === undefined || isMissing) return undefined;
    return setBack('Columns');
  };
  /** What is sent of the file. */
  const uploadOf = (answered: Answers, duplicates: string, chosenDates: Options['dates'] | '') => {
    if (catalog !== undefined) return { content: catalog.content, format: 'oscal' as const };
    const selection = selectionOf(duplicates);
    if (table === undefined || kind === undefined || selection === undefined) return undefined;
    const dates = formOfDates(chosenDates ?? '', datesOf(kind, table, mapping));
    return {
      content: writeTable(table, selection, answered),
      format: 'csv' as const,
      ...(dates !== undefined && { dates }),
    };
  };
  const start = (dryRun: boolean, changes: { answered?: Answers; duplicates?: Options['duplicates'] } = {}) =>
    form.submit(async ({ mode, source, strict, dates: chosenDates, ...values }) => {
      const { answered = applied, duplicates = values.duplicates } = changes;
      const upload = uploadOf(answered, duplicates, chosenDates);
      if (upload === undefined || kind === undefined) return;
      if (!isSendable(upload.content))
        throw new InputError('The rows are larger than 8 MiB. Split the file, then choose one of its parts.');
      const { uniqueId } = await startImport(
        { kind, framework: isOfFramework(kind) ? Number(framework) : null },
        {
          ...upload,
          dryRun,
          lenient: true,
          // A check shows the rejected rows in any case.
          strict: strict && !dryRun,
        },
        isBySource ? { source, mode } : { duplicates },
      );
      setSent((earlier) => ({ ...earlier, [uniqueId]: choicesOf(answered, duplicates) }));
      setBack(undefined);
      show(uniqueId);
    });
  const restart = () => {
    void choose(undefined);
    setTarget(initial);
    setIsTried(false);
    form.reset();
    show(undefined);
  };
  const importMore = () => {
    forget();
    if (next !== undefined) setTarget({ ...given, framework: String(next.id) });
    setBack(next === undefined ? undefined : 'Columns');
    show(undefined);
  };

  const isSent = shown !== undefined && sent[shown] === choicesOf(applied, form.values.duplicates);
  const isCheck = item?.dryRun === true && item.undoOf === null;
  const { data: leftOut, isLoading: isWaiting } = useLeftOut(isCheck && isSent ? item : undefined);
  const fresh = useMemo(
    () =>
      table === undefined || kind === undefined || leftOut === undefined
        ? []
        : unfitValues(kind, table, mapping, leftOut).filter(({ key }) => asked.every((one) => one.key !== key)),
    [kind, table, mapping, leftOut, asked],
  );
  const values = [...asked, ...fresh];
  const rememberedAnswers = (remembered?.answers ?? [])
    .filter((one) => one.kind === kind)
    .map((one) => [answerKey(one.field, one.value), one.answer] as const);
  const answersShown = new Map([...rememberedAnswers, ...answers]);
  const continueFromValues = async () => {
    if (kind === undefined) return;
    const answered = new Map(
      values.map(({ key }) => [key, answersShown.get(key) ?? ''] as const).filter(([, answer]) => answer !== ''),
    );
    const isChanged = choicesOf(answered, '') !== choicesOf(applied, '');
    const isDone = await form.submit(async () => {
      const told = values.map(({ key, field, value }) => ({
        kind,
        field: field.name,
        value: asSaid(value),
        answer: answersShown.get(key) ?? '',
      }));
      const { answers: known } = await client.import.remember.mutate({ answers: told.slice(0, MAX_REMEMBERED) });
      queryClient.setQueryData(trpc.import.answers.queryKey(), { answers: known });
    });
    if (!isDone) return;
    setAsked(values);
    setApplied(answered);
    setBack(undefined);
    if (isChanged) await start(true, { answered });
  };

  const required = kind === undefined ? -1 : mapping.indexOf(requiredOf(kind));
  const findRow: FindRow = (row) => {
    const ofCatalog = catalog?.rows[row - 1];
    if (ofCatalog !== undefined) return { line: null, name: `${ofCatalog.ref} ${ofCatalog.title}` };
    const found = selected?.rows[row - 1];
    return found && { line: found.line, name: found.cells[required] ?? '' };
  };
  const run = item === undefined ? undefined : { item, at, findRow: isSent ? findRow : undefined };
  if ((shown !== undefined && run === undefined && readError === null) || isWaiting) return <Skeleton height={240} />;
  const step = stepOf();
  return (
    <Stack gap="sm">
      <Stepper step={step} />
      {step === 'File' && (
        <FileStep
          target={target}
          onTarget={setTarget}
          input={input}
          file={file}
          sheet={sheetIndex}
          onSheet={(index) => {
            setSheet(index);
            setHeading(undefined);
            forget();
          }}
          headings={headings}
          error={fileError}
          isReading={input !== undefined && file === undefined}
          isTried={isTried && file !== undefined}
          onShow={show}
          onChoose={(one) => void choose(one)}
          onContinue={continueToColumns}
        />
      )}
      {step === 'Columns' && table !== undefined && sheet !== undefined && kind !== undefined && (
        <ColumnsStep
          kind={kind}
          sheet={sheet}
          heading={heading}
          onHeading={(index) => {
            setHeading(index);
            forget();
            setBack('Columns');
          }}
          table={table}
          mapping={mapping}
          note={noteOf()}
          form={form}
          onChange={(changed) => setChosen({ kind, mapping: changed })}
          onBack={() => setBack(undefined)}
          onCheck={() => void start(true)}
        />
      )}
      {step === 'Values' && kind !== undefined && (
        <ValuesStep
          kind={kind}
          framework={isOfFramework(kind) ? Number(framework) : undefined}
          values={values}
          answers={answersShown}
          onAnswer={(key, answer) => setAnswers(new Map(answers).set(key, answer))}
          form={form}
          onBack={() => {
            setBack('Columns');
            show(undefined);
          }}
          onContinue={() => void continueFromValues()}
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
        <CheckStep
          {...run}
          doubles={
            isSent && !isBySource
              ? (selected?.doubles ?? []).map(({ line, cells }) => ({ line, name: cells[required] ?? '' }))
              : []
          }
          form={form}
          onDuplicates={(duplicates) => {
            form.set('duplicates', duplicates);
            void start(true, { duplicates });
          }}
          onBack={() => {
            setBack(values.length > 0 && isSent ? 'Values' : sheet === undefined ? undefined : 'Columns');
            if (values.length === 0 || !isSent) show(undefined);
          }}
          onImport={() => void start(false)}
        />
      )}
      {step === 'Import' && run !== undefined && (
        <Stack gap="sm">
          <Result {...run} />
          {hasEnded(run.item) && (
            <Group justify="space-between">
              {(run.item.state === 'canceled' || run.item.state === 'failed') && isSent ? (
                <Button
                  variant="default"
                  onClick={() => {
                    setBack('Columns');
                    show(undefined);
                  }}
                >
                  Back
                </Button>
              ) : (
                <UndoImport item={run.item} />
              )}
              <Group gap="xs">
                {isSent &&
                  (next !== undefined || (file !== undefined && 'sheets' in file && file.sheets.length > 1)) && (
                    <Button variant="default" onClick={importMore}>
                      {next === undefined ? 'Import more of this file' : `Import the ${kind}s of ${next.name}`}
                    </Button>
                  )}
                <Button onClick={restart}>Import another file</Button>
              </Group>
            </Group>
          )}
        </Stack>
      )}
    </Stack>
  );

  function stepOf(): Step {
    if (shown === undefined) return back === 'Columns' && sheet !== undefined ? 'Columns' : 'File';
    if (!isCheck) return 'Import';
    return isSent && (back === 'Values' || fresh.length > 0) ? 'Values' : 'Check';
  }

  /** What is imported of a file with a column of frameworks. */
  function noteOf(): string | undefined {
    if (current === undefined || !mapping.includes(FRAMEWORK) || !isOfFramework(kind) || table === undefined)
      return undefined;
    const rows = rowsOf(current) + (counts.get('') ?? 0);
    if (rows === 0)
      return `No rows belong to ${current.name}. Leave out the column “Framework” to import all rows into it.`;
    if (rows === table.rows.length) return undefined;
    const rest = others.map((one) => `${one.name} (${count(rowsOf(one), 'row')})`).join(', ');
    return `${count(rows, 'row')} of ${table.rows.length.toLocaleString('en')} belong to ${current.name}. ${
      rest === '' ? 'The others are left out.' : `You can import the others afterwards: ${rest}.`
    }`;
  }
}

/** Number of answers that one request remembers. */
const MAX_REMEMBERED = 500;

const isNamed = (text: string, id: number, name: string): boolean =>
  text === String(id) || text.toLowerCase() === name.toLowerCase();
