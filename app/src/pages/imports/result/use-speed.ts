import { useState } from 'react';

interface Sample {
  /** Milliseconds. */
  at: number;
  done: number;
}

/** Samples from which the speed is computed: those of the last seconds. */
const MAX_SAMPLES = 10;

/** Rows per second of an import that is read again and again; undefined until it is known. */
export function useSpeed(done: number, at: number): number | undefined {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const last = samples.at(-1);
  if (last?.at !== at) {
    // A check before the import counts the rows too, so that the number of rows can fall.
    const earlier = last !== undefined && last.done > done ? [] : samples;
    setSamples([...earlier, { at, done }].slice(-MAX_SAMPLES));
  }
  const first = samples[0];
  if (first === undefined || last === undefined || last.done === first.done) return undefined;
  return ((last.done - first.done) / (last.at - first.at)) * 1000;
}
