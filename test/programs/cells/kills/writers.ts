import { setTimeout as wait } from 'node:timers/promises';
import { sendRequest } from '../../../support/http/client.ts';
import { VENDORS } from './company.ts';

const PAUSE_MS = 20;

/** The cells of a move. */
export const SIDES = ['old cell', 'new cell'] as const;
export type Side = (typeof SIDES)[number];

/** A write that a cell acknowledged. Times are of the monotonic clock. */
export interface AcknowledgedWrite {
  /** The vendor. */
  uniqueId: string;
  cell: Side;
  sentAtMs: number;
  receivedAtMs: number;
}

/** Writers of a company, one for each cell, past the router: each sends a write after another, whatever the cell responds. */
export function startWriters(cells: Record<Side, { url: string }>, key: string) {
  const acknowledged: AcknowledgedWrite[] = [];
  const stopped = new AbortController();
  const running = SIDES.map(async (cell) => {
    const { url } = cells[cell];
    for (let number = 0; !stopped.signal.aborted; number++) {
      const sentAtMs = performance.now();
      const body = { name: `Write ${number} to ${cell}` };
      const response = await sendRequest(`${url}${VENDORS}/new`, {
        method: 'POST',
        headers: { 'X-API-Key': key },
        body,
      }).catch(
        () => undefined, // the cell is killed
      );
      if (response?.status === 201) {
        const { uniqueId } = JSON.parse(response.text) as { uniqueId: string };
        acknowledged.push({ uniqueId, cell, sentAtMs, receivedAtMs: performance.now() });
      }
      await wait(PAUSE_MS);
    }
  });
  return {
    acknowledged,
    stop: async () => {
      stopped.abort();
      await Promise.all(running);
    },
  };
}

/** Cells that acknowledged a write which was sent after a time. */
export const writableSince = (writes: readonly AcknowledgedWrite[], sinceMs: number): Side[] => [
  ...new Set(writes.filter(({ sentAtMs }) => sentAtMs >= sinceMs).map(({ cell }) => cell)),
];

/** Writes that the old cell acknowledged although they were sent after the new one had acknowledged one. */
export function writesToBoth(writes: readonly AcknowledgedWrite[]): AcknowledgedWrite[] {
  const firstOfNew = Math.min(
    ...writes.filter(({ cell }) => cell === 'new cell').map(({ receivedAtMs }) => receivedAtMs),
  );
  return writes.filter(({ cell, sentAtMs }) => cell === 'old cell' && sentAtMs > firstOfNew);
}
