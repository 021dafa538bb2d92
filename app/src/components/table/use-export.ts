import { useEffect, useRef, useState } from 'react';
import { saveFile } from '../../api/save-file.ts';
import { errorDetails } from '../../api/errors.ts';

/** A part of a file, which the server returns page by page. */
interface Part {
  content: string;
  rows: number;
  nextCursor: string | null;
  /** Number of rows of the whole file, on the first page. */
  total?: number;
}

export interface ExportJob {
  fileName: string;
  /** Media type of the file. */
  type: string;
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Part>;
  /** Rows after which the export stops. */
  maxRows: number;
}

export interface ExportState {
  fileName: string;
  status: 'running' | 'done' | 'bounded' | 'canceled' | 'failed';
  rows: number;
  total: number | undefined;
  error?: unknown;
}

const TOO_MANY_REQUESTS = 429;
const PAUSE_MS = 5000;

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Loads a page. Pauses at the rate limit until the export is canceled. */
async function loadPatiently(load: ExportJob['load'], cursor: string | undefined, signal: AbortSignal): Promise<Part> {
  try {
    return await load(cursor, signal);
  } catch (error) {
    if (errorDetails(error).status !== TOO_MANY_REQUESTS || signal.aborted) throw error;
    await pause(signal);
    return loadPatiently(load, cursor, signal);
  }
}

/** Builds a file from the pages of a list in the browser, with progress. It stops when the person leaves the page. */
export function useExport() {
  const [state, setState] = useState<ExportState>();
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);

  const start = async ({ fileName, type, load, maxRows }: ExportJob) => {
    controller.current?.abort();
    const { signal } = (controller.current = new AbortController());
    const parts: string[] = [];
    let progress: ExportState = { fileName, status: 'running', rows: 0, total: undefined };
    const show = (changes: Partial<ExportState>) => setState((progress = { ...progress, ...changes }));
    show({});
    try {
      for (let cursor: string | null | undefined; cursor !== null && progress.rows < maxRows;) {
        const part: Part = await loadPatiently(load, cursor, signal);
        if (signal.aborted) return;
        parts.push(part.content);
        show({ rows: progress.rows + part.rows, total: progress.total ?? part.total });
        cursor = part.nextCursor;
        if (cursor !== null && progress.rows >= maxRows) progress = { ...progress, status: 'bounded' };
      }
      saveFile(fileName, parts, type);
      show({ status: progress.status === 'bounded' ? 'bounded' : 'done' });
    } catch (error) {
      if (!signal.aborted) show({ status: 'failed', error });
    }
  };

  return {
    state,
    start,
    cancel: () => {
      controller.current?.abort();
      setState((previous) => previous && { ...previous, status: 'canceled' });
    },
    dismiss: () => setState(undefined),
  };
}
