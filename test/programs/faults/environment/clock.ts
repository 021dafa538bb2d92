import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faketimeLibrary } from './prerequisites.ts';

/** A fake system clock of a process, made with libfaketime. The monotonic clock stays real. */
export class FakeClock {
  readonly #timestampFile: string;

  constructor(folder: string) {
    this.#timestampFile = join(folder, 'clock');
    this.jumpTo(0);
  }

  /** Environment variables that make a process use this clock. */
  get environment(): Record<string, string> {
    return {
      LD_PRELOAD: faketimeLibrary() ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#timestampFile,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Sets the offset from the real time. The process reads it within a second. */
  jumpTo(offsetSeconds: number): void {
    writeFileSync(`${this.#timestampFile}.new`, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`);
    renameSync(`${this.#timestampFile}.new`, this.#timestampFile);
  }
}
