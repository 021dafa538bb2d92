import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import { sentence } from '../../api/errors.ts';
import { pagesOptions } from '../../api/pages.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { messageText } from '../../components/error-text.ts';
import { ExportStatus } from '../../components/table/export-status.tsx';
import { useExport } from '../../components/table/use-export.ts';
import { fieldOf, labelOf, safeText } from './file/columns.ts';
import type { Field, Kind } from './file/columns.ts';
import { quoteCell } from './file/csv.ts';
import { useErrors, useLeftOut } from './use-imports.ts';
import type { Finding, Import } from './use-imports.ts';

const PAGE_SIZE = 100;
const EXPORT_PAGE_SIZE = 1000;
/** The maximum number of rows of a file. */
const MAX_ROWS = 100_000;
const SHOWN_CHARACTERS = 200;
const BOM = '\u{feff}';

export const count = (number: number, unit: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? unit : `${unit}s`}`;

const short = (text: string) => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);

/** Finds the row of the file that is in this page: its line, which a catalog has not, and the name or title in it. */
export type FindRow = (row: number) => { line: number | null; name: string } | undefined;

interface ListProps<Item> {
  item: Item;
  /** Missing without the file. */
  findRow: FindRow | undefined;
}

/** What is wrong with a name. */
const NAMES: Readonly<Record<NonNullable<Field['refersTo']>, string>> = {
  member: 'No active member has this name or email, or several members do.',
  department: 'No department has this name, or several departments do.',
  framework: 'No framework has this name.',
  gap: 'No gap of the framework has this title, or several gaps do.',
  vendor: 'No vendor has this name, or several vendors do.',
  requirement: 'No requirement has this ref, or several requirements do.',
};

/** The value at the end of a message, which is beside it on the page. */
const FOUND = /; found (?:"(?:[^"\\]|\\.)*"?|\S+)$/s;

/** The field at its start, also a part of one: `labels.0: `. */
const PATH = /^[\w.]+: /;

/** A message of the service about a value, in the words of the application. */
export function problemText(kind: Kind, { field: name, text }: Pick<Finding, 'field' | 'text'>): string {
  if (text.startsWith('expected') && text.includes('cells, as in the header'))
    return 'The row has more cells than the heading. Perhaps a text that contains a comma is not in quotes.';
  const field = name === null ? undefined : fieldOf(kind, name);
  if (name === null || field === undefined) return messageText(text);
  const isValue = text.startsWith(`${name}: expected`) || text.startsWith(`${name}.`);
  if (isValue && field.refersTo !== undefined) return NAMES[field.refersTo];
  if (isValue && field.words !== undefined)
    return `Expected ${new Intl.ListFormat('en', { type: 'disjunction' }).format(field.words.map(([, word]) => word))}.`;
  if (isValue && field.isDate === true && text.includes('calendar date'))
    return 'This is not a date in the chosen format.';
  const [first = ''] = text.replace(FOUND, '').split('; ');
  return isValue || first.startsWith(`${name}: `) ? sentence(first.replace(PATH, '')) : messageText(first);
}

/** "Owner: 180 rows, 5 names" */
function titleOf(kind: Kind, name: string | null, findings: readonly Finding[]): string {
  const field = name === null ? undefined : fieldOf(kind, name);
  const rows = count(
    findings.reduce((sum, finding) => sum + finding.rows, 0),
    'row',
  );
  if (field === undefined) return `Whole rows: ${rows}`;
  const noun = field.refersTo === undefined ? (field.isDate === true ? 'date' : 'value') : 'name';
  const values = findings.filter(({ value }) => value !== null).length;
  return `${labelOf(field)}: ${rows}${values === 0 ? '' : `, ${count(values, noun)}`}`;
}

interface FindingListProps {
  /** Name of the list. */
  label: string;
  kind: Kind;
  findings: readonly Finding[];
  findRow: FindRow | undefined;
}

/** Findings by field, those of most rows first. */
function FindingList({ label, kind, findings, findRow }: FindingListProps) {
  const [shown, setShown] = useState(PAGE_SIZE);
  const fields = [...Map.groupBy(findings.slice(0, shown), ({ field }) => field).keys()];
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <div className="preview" role="region" aria-label={label} tabIndex={0}>
      {fields.map((name) => {
        const ofField = findings.filter(({ field }) => field === name);
        return (
          <table key={name ?? ''} className="findings">
            <caption>{titleOf(kind, name, ofField)}</caption>
            <thead>
              <tr>
                <th scope="col">Value</th>
                <th scope="col">Rows</th>
                <th scope="col">Problem</th>
              </tr>
            </thead>
            <tbody>
              {findings
                .slice(0, shown)
                .filter(({ field }) => field === name)
                .map((finding) => (
                  <tr key={`${finding.value} ${finding.text}`}>
                    <td>{short(finding.value ?? '')}</td>
                    <td>{placeOf(finding, findRow)}</td>
                    <td>{problemText(kind, finding)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        );
      })}
      {findings.length > shown && (
        <Button variant="subtle" size="xs" onClick={() => setShown(shown + PAGE_SIZE)}>
          {`Show more of ${findings.length.toLocaleString('en')}`}
        </Button>
      )}
    </div>
  );
}

/** "Line 17", or "12, from line 17"; in a catalog the name of the row. */
function placeOf({ rows, row, line: said }: Finding, findRow: FindRow | undefined): string {
  const found = findRow?.(row);
  const line = found?.line ?? said;
  if (line !== undefined) return rows === 1 ? `Line ${line}` : `${rows.toLocaleString('en')}, from line ${line}`;
  return rows === 1 && found !== undefined ? short(found.name) : rows.toLocaleString('en');
}

/** A record of a CSV file whose cells no spreadsheet runs as formulas. */
const toRecord = (cells: readonly string[]) => `${cells.map((cell) => quoteCell(safeText(cell))).join(',')}\r\n`;

/** The rows that were rejected. All of them can be saved as a CSV file. */
export function RejectedRows({ item, findRow }: ListProps<Import>) {
  const { uniqueId, kind, failed } = item;
  const { data, error, refetch } = useErrors(item);
  const { start, ...exported } = useExport();
  const download = () =>
    start({
      fileName: 'rejected-rows.csv',
      type: 'text/csv;charset=utf-8',
      maxRows: MAX_ROWS,
      load: async (cursor, signal) => {
        const page = { importUniqueId: uniqueId, limit: EXPORT_PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
        const { items, nextCursor } = await client.import.errors.query(page, { signal });
        const records = items.map(({ row, line, field: name, value, error: text }) => {
          const field = name === null ? undefined : fieldOf(kind, name);
          const label = field === undefined ? (name ?? '') : labelOf(field);
          const found = findRow?.(row);
          return toRecord([
            String(found?.line ?? line ?? found?.name ?? ''),
            label,
            value ?? '',
            problemText(kind, { field: name, text }),
          ]);
        });
        const header = cursor === undefined ? BOM + toRecord(['Line', 'Field', 'Value', 'Problem']) : '';
        return { content: header + records.join(''), rows: items.length, nextCursor, total: failed };
      },
    });
  if (error !== null)
    return <ErrorMessage title="The rejected rows could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={80} />;
  return (
    <section>
      <h4>{item.dryRun ? 'Rows that would be rejected' : 'Rejected rows'}</h4>
      <FindingList label="Rejected rows" kind={kind} findings={data} findRow={findRow} />
      <Group mt="xs">
        <Button variant="default" loading={exported.state?.status === 'running'} onClick={() => void download()}>
          Download rejected rows
        </Button>
      </Group>
      <ExportStatus {...exported} unit={['row', 'rows']} />
    </section>
  );
}

/** The values that were left out. Their rows were imported. */
export function LeftOutValues({ item, findRow }: ListProps<Import>) {
  const { data, error, refetch } = useLeftOut(item);
  if (error !== null)
    return (
      <ErrorMessage
        title="The values that are left out could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Skeleton height={80} />;
  return (
    <section>
      <h4>{item.dryRun ? 'Values that would be left out' : 'Values that were left out'}</h4>
      <Text size="sm" c="dimmed" mb={6}>
        The rest of {item.warnings === 1 ? 'the row is' : 'these rows is'} imported.
      </Text>
      <FindingList label="Values that are left out" kind={item.kind} findings={data} findRow={findRow} />
    </section>
  );
}

/** Rows whose name is there already, or what an undo leaves as it is, with the reason. */
export function SkippedRows({ item: { uniqueId, skipped, undoOf, kind, dryRun }, findRow }: ListProps<Import>) {
  const input = { importUniqueId: uniqueId };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    pagesOptions(trpc.import.skipped.queryKey(input), (position, options) =>
      client.import.skipped.query({ ...input, limit: PAGE_SIZE, ...position }, options),
    ),
  );
  const isUndo = undoOf !== null;
  const title = isUndo
    ? dryRun
      ? 'What would not be undone'
      : 'What was not undone'
    : dryRun
      ? `Rows of ${kind}s that already exist`
      : `Rows that were skipped`;
  if (error !== null)
    return <ErrorMessage title="The rows could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={80} />;
  const rows = data.pages.flatMap(({ items }) => items);
  return (
    <section>
      <h4>{title}</h4>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it */}
      <div className="preview" role="region" aria-label={title} tabIndex={0}>
        <table className="findings">
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, line, reason }) => {
              const found = findRow?.(row);
              return (
                <tr key={row}>
                  <td>Line {found?.line ?? line}</td>
                  <td>{found === undefined ? reason : `“${short(found.name)}”: ${reason}`}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {hasNextPage && (
          <Button variant="subtle" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {`Show more of ${skipped.toLocaleString('en')}`}
          </Button>
        )}
      </div>
    </section>
  );
}
