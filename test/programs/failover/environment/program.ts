import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { SEARCH_PATH } from '../../../support/servers/pgbouncer.ts';
import { postgresUser } from '../../../support/servers/postgresql.ts';

/**
 * A program that runs as the user of PostgreSQL, with its output in a file. It has a process group of its own, so that Ctrl-C ends
 * only the suite, which then ends the program.
 */
export class Program {
  readonly #command: readonly [string, ...string[]];
  readonly #log: string;
  #child: ChildProcess | undefined;

  constructor(command: readonly [string, ...string[]], log: string) {
    this.#command = command;
    this.#log = log;
  }

  get pid(): number | undefined {
    const { exitCode = 0, signalCode = null, pid } = this.#child ?? {};
    return exitCode === null && signalCode === null ? pid : undefined;
  }

  async start(): Promise<void> {
    if (this.pid !== undefined) return;
    const [program, ...args] = this.#command;
    const log = openSync(this.#log, 'a');
    this.#child = spawn(program, args, {
      ...postgresUser(),
      cwd: '/',
      env: { PATH: SEARCH_PATH, LANG: 'C.UTF-8' },
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    await once(this.#child, 'spawn');
  }

  /** Sends SIGKILL, and waits until the program has ended. */
  async kill(): Promise<void> {
    if (this.#child === undefined || this.pid === undefined) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
