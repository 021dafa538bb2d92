import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { useExportRequest } from './export-request.ts';
import { ExportStatus } from './export-status.tsx';
import { useExport } from './use-export.ts';
import type { ExportJob } from './use-export.ts';

/** Options of a part of a CSV file that people read. */
interface CsvOptions {
  format: 'people';
  delimiter: 'comma' | 'semicolon';
  cursor?: string;
}

interface ExportMenu {
  /** "vendors.csv" */
  fileName: string;
  /** Word for the rows: `['vendor', 'vendors']`. */
  unit: readonly [one: string, many: string];
  /** Reads a part of the file: what the list shows, as it is filtered and sorted. */
  load: (options: CsvOptions, signal: AbortSignal) => ReturnType<ExportJob['load']>;
  /** Another form of the file, for programs. */
  other?: { label: string; job: ExportJob };
  /** Items of the menu after the files. */
  children?: ReactNode;
}

/** Rows in one file, which the browser holds in memory. */
export const MAX_EXPORTED = 100_000;

const DELIMITERS = [
  { delimiter: 'comma', label: 'CSV with commas' },
  { delimiter: 'semicolon', label: 'CSV with semicolons' },
] as const;

/**
 * Saves a list as a file.
 * @returns the menu "Export", and the progress of the export
 */
export function useExportMenu({ fileName, unit, load, other, children }: ExportMenu): [ReactNode, ReactNode] {
  const { start, ...exported } = useExport();
  const request = useExportRequest();
  const startCsv = (delimiter: CsvOptions['delimiter']) =>
    start({
      fileName,
      type: 'text/csv;charset=utf-8',
      maxRows: MAX_EXPORTED,
      load: (cursor, signal) => load({ format: 'people', delimiter, ...(cursor !== undefined && { cursor }) }, signal),
    });
  const menu = (
    <Menu {...request} withInitialFocusPlaceholder={false} position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" loading={exported.state?.status === 'running'}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {DELIMITERS.map(({ delimiter, label }) => (
          <Menu.Item key={delimiter} onClick={() => void startCsv(delimiter)}>
            {label}
          </Menu.Item>
        ))}
        {other !== undefined && <Menu.Item onClick={() => void start(other.job)}>{other.label}</Menu.Item>}
        {children}
      </Menu.Dropdown>
    </Menu>
  );
  return [menu, <ExportStatus key="status" {...exported} unit={unit} />];
}
