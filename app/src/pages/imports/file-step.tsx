import { Alert, Button, Group, NativeSelect, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { Secret } from '../../components/form/dialog.tsx';
import { FileDrop } from '../../components/form/file-drop.tsx';
import { useSession } from '../../components/use-session.ts';
import { CatalogPreview } from './catalog-preview.tsx';
import { IMPORT_KINDS, isOfFramework, recognize, templateOf } from './file/columns.ts';
import type { Kind } from './file/columns.ts';
import { isJson, isNdjson } from './file/read-file.ts';
import type { ChosenFile } from './file/read-file.ts';
import { count } from './findings.tsx';
import { doneRows, hasEnded, useImports } from './use-imports.ts';

/** Items that a file contains. */
export interface Target {
  /** Undefined until it is chosen or recognized. */
  kind: Kind | undefined;
  /** Id of the framework of tasks or requirements. */
  framework: string | undefined;
}

/** The way to import a file that is too large for the browser: a request with an API key. */
function LargeFile({ fileName, target: { kind = 'vendor', framework } }: { fileName: string; target: Target }) {
  const id = framework ?? '{framework}';
  const path = {
    vendor: '/external/smart-inventory/vendor/import',
    task: `/external/task/framework/${id}/import`,
    requirement: `/external/framework/${id}/requirement/import`,
  }[kind];
  const type = isJson(fileName) ? 'application/json' : isNdjson(fileName) ? 'application/x-ndjson' : 'text/csv';
  const most = isJson(fileName) ? '16' : '64';
  const command = `curl -X POST '${window.location.origin}${path}' -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: ${type}' --data-binary '@${fileName.replaceAll("'", `'\\''`)}'`;
  return (
    <Alert color="red" variant="outline" role="alert" title="The file is too large for this page">
      <Text size="sm" mb="xs">
        This page accepts files of up to 8 MiB. Split the file, or send up to {most} MiB with an API key that can write{' '}
        {kind}s:
      </Text>
      <Secret text={command} label="Copy command" />
    </Alert>
  );
}

const KINDS: Readonly<Record<Kind, string>> = { vendor: 'Vendors', task: 'Tasks', requirement: 'Requirements' };

/** Leads back to an import of this person that still runs. */
function RunningImport({ onShow }: { onShow: (uniqueId: string) => void }) {
  const { member } = useSession();
  const { data } = useImports();
  const item = data?.pages
    .flatMap(({ items }) => items)
    .find((one) => one.undoOf === null && !hasEnded(one) && one.createdBy.uniqueId === member);
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

interface FileStepProps {
  target: Target;
  onTarget: (target: Target) => void;
  /** The file as the browser gives it, and as it was read. */
  input: File | undefined;
  file: ChosenFile | undefined;
  sheet: number;
  onSheet: (sheet: number) => void;
  /** Headings of the file. */
  headings: readonly string[];
  error: string | undefined;
  /** True until the file is read. */
  isReading: boolean;
  /** True after a person tried to continue. */
  isTried: boolean;
  /** Shows an import that runs. */
  onShow: (uniqueId: string) => void;
  onChoose: (file: File | undefined) => void;
  onContinue: () => void;
}

/** The step "File": a file is dropped or chosen, and what its rows are. */
export function FileStep(props: FileStepProps) {
  const {
    target,
    onTarget,
    input,
    file,
    sheet,
    onSheet,
    headings,
    error,
    isReading,
    isTried,
    onShow,
    onChoose,
    onContinue,
  } = props;
  const { kind, framework } = target;
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions());
  const sheets = file !== undefined && 'sheets' in file ? file.sheets : [];
  const catalog = file !== undefined && 'catalog' in file ? file.catalog : undefined;
  const isUnclear = sheets.length > 0 && kind === undefined && recognize(headings) === undefined;
  return (
    <Stack gap="sm">
      <RunningImport onShow={onShow} />
      <FileDrop
        label="File"
        accept=".csv,.tsv,.txt,.xlsx,.ods,.ndjson,.jsonl,.json,text/csv,application/json,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,application/vnd.oasis.opendocument.spreadsheet"
        file={input}
        error={error}
        onChange={onChoose}
      >
        Choose a file or drop it here: XLSX, ODS, CSV or NDJSON, or an OSCAL catalog of requirements as JSON. In the
        next step you match its columns to fields.
      </FileDrop>
      {file !== undefined && (
        <Text size="sm" role="status" className="chosen">
          <b>{file.name}</b>
          {sheets.length > 1 && ` has ${count(sheets.length, 'sheet')}.`}
          {sheets.length === 1 && ` has ${count((sheets[0]?.rows.length ?? 0) - 1, 'row')} below the first.`}
          {'notice' in file && ` ${file.notice}`}
        </Text>
      )}
      {file !== undefined && 'isTooLarge' in file && <LargeFile fileName={file.name} target={target} />}
      <Group align="flex-start">
        {sheets.length > 1 && (
          <NativeSelect
            label="Sheet"
            w={240}
            data={sheets.map(({ name = '', rows }, index) => ({
              value: String(index),
              label: `${name} (${count(rows.length, 'row')})`,
            }))}
            value={String(sheet)}
            onChange={({ currentTarget }) => onSheet(Number(currentTarget.value))}
          />
        )}
        {catalog === undefined && (
          <Select
            label="Kind"
            placeholder="Choose what the rows are"
            w={220}
            data={IMPORT_KINDS.map((value) => ({ value, label: KINDS[value] }))}
            allowDeselect={false}
            value={kind ?? null}
            error={isTried && kind === undefined && 'Choose what the rows are.'}
            onChange={(chosen) => onTarget({ ...target, kind: IMPORT_KINDS.find((one) => one === chosen) })}
          />
        )}
        {isOfFramework(kind) && (
          <Select
            label="Framework"
            placeholder="Choose a framework"
            w={240}
            data={frameworks
              .filter(({ archived }) => !archived)
              .map(({ id, name }) => ({ value: String(id), label: name }))}
            searchable
            error={isTried && framework === undefined && 'Choose a framework.'}
            value={framework ?? null}
            onChange={(chosen) => onTarget({ ...target, framework: chosen ?? undefined })}
          />
        )}
      </Group>
      {isUnclear && (
        <Text size="sm" role="status">
          The headings do not show what the rows are. Choose the kind.
        </Text>
      )}
      {catalog !== undefined && <CatalogPreview rows={catalog.rows} />}
      <Text size="sm" c="dimmed">
        Start from a template with every column and an example:{' '}
        {IMPORT_KINDS.map((one, index) => (
          <span key={one}>
            {index > 0 && ', '}
            <a
              href={`data:text/csv;charset=utf-8,${encodeURIComponent(templateOf(one))}`}
              download={`${one}s-template.csv`}
            >
              Template for {one}s
            </a>
          </span>
        ))}
      </Text>
      <Group justify="flex-end">
        <Button loading={isReading} onClick={onContinue}>
          Continue
        </Button>
      </Group>
    </Stack>
  );
}
