/** Milliseconds in which a process may log one line of each kind, less a margin for its timers. */
const INTERVAL_MS = 10_000 - 100;

/** A warning or an error in the log of a process. */
interface LogLine {
  process: number;
  time: number;
  kind: string;
}

/** Reads log lines in JSON. A kind of failure is its message, with the company if it is that of one. */
function parseLines(output: string): LogLine[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => {
      const { pid, time, msg, reason, company } = JSON.parse(line) as Record<string, unknown>;
      const kind = [msg, reason].filter((part) => typeof part === 'string').join(': ');
      return {
        process: Number(pid),
        time: Number(time),
        kind: company === undefined ? kind : `${kind} (company ${JSON.stringify(company)})`,
      };
    });
}

/** Counts log lines by kind, and finds those that came within ten seconds of another one of their kind and process. */
export function checkLog(output: string): { counts: Map<string, number>; tooFrequent: string[] } {
  const lines = parseLines(output);
  const tooFrequent: string[] = [];
  const latest = new Map<string, number>();
  for (const { process, time, kind } of lines) {
    const key = `${process} ${kind}`;
    const before = latest.get(key);
    if (before !== undefined && time - before < INTERVAL_MS)
      tooFrequent.push(`process ${process} logs "${kind}" again after ${((time - before) / 1000).toFixed(1)} s`);
    latest.set(key, time);
  }
  const counts = new Map<string, number>();
  for (const { kind } of lines) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return { counts, tooFrequent };
}
