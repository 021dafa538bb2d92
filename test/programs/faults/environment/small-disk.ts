import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A tmpfs of limited size. */
export class SmallDisk {
  readonly folder: string;

  constructor(folder: string, mebibytes: number) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'faults', folder]);
  }

  /** Fills the disk to the last byte. */
  fill(): void {
    const file = openSync(join(this.folder, 'filler'), 'w');
    for (let size = 2 ** 20; size >= 1; size /= 4) {
      const bytes = Buffer.alloc(size);
      try {
        while (writeSync(file, bytes) === size);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    }
    closeSync(file);
  }

  clear(): void {
    rmSync(join(this.folder, 'filler'), { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.folder]);
  }
}
