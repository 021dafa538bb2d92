import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faketimeLibrary } from './prerequisites.ts';

/** The wall clock of a process, which jumps; what it measures durations with goes on. */
export class FakeClock {
  readonly #timestampFile: string;

  constructor(folder: string) {
    this.#timestampFile = join(folder, 'clock');
    this.jumpTo(0);
  }

  /** What a process needs in its environment to live by this clock. */
  get environment(): Record<string, string> {
    return {
      LD_PRELOAD: faketimeLibrary() ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#timestampFile,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** From now on, within a second, it is so many seconds before or after the truth. */
  jumpTo(seconds: number): void {
    writeFileSync(`${this.#timestampFile}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${this.#timestampFile}.new`, this.#timestampFile);
  }
}
