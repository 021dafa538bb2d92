import { rmSync } from 'node:fs';
import { childPids, createOwnedDirectory, isAlive } from '../../../support/servers/postgresql.ts';

/** The temporary folder of a run, and what ends its programs. */
export class Cleanup {
  readonly folder: string;
  /** True if the folder, which has the logs of all programs, stays at the end. */
  keepsFolder = false;
  readonly #tmpdir = process.env['TMPDIR'];
  readonly #steps: (() => Promise<unknown>)[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates the folder. All temporary files of this process and of the service are in it. @param name beginning of its name */
  static async begin(name: string): Promise<Cleanup> {
    const cleanup = new Cleanup(await createOwnedDirectory(name));
    process.env['TMPDIR'] = cleanup.folder;
    return cleanup;
  }

  add(step: () => Promise<unknown>): void {
    this.#steps.unshift(step);
  }

  /** Ends what has been started, latest first, and programs whose start was interrupted. */
  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step().catch(() => {});
    for (const pid of childPids(process.pid).filter(isAlive)) process.kill(pid, 'SIGKILL');
    if (this.#tmpdir === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = this.#tmpdir;
    if (!this.keepsFolder) rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
