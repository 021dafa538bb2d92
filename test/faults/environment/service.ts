import { readdirSync, readFileSync } from 'node:fs';
import { startServiceProcess, stopServiceProcess } from '../../support/servers/service-process.ts';
import type { ServiceProcess } from '../../support/servers/service-process.ts';

export const OPERATOR_TOKEN = 'operator-token-of-the-faults-0123456789';

/** The service as its users start it, on one port however often it is started. */
export class Service {
  readonly url: string;
  readonly #environment: Record<string, string>;
  #process: ServiceProcess | undefined;
  #output = '';

  constructor(port: number, environment: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.#environment = {
      ...environment,
      PORT: String(port),
      OPERATOR_TOKEN,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PER_MINUTE: '0',
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
    };
  }

  get isRunning(): boolean {
    const child = this.#process?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  get pid(): number {
    const pid = this.#process?.child.pid;
    if (pid === undefined || !this.isRunning) throw new Error('the service does not run');
    return pid;
  }

  /** What its processes have said. */
  get output(): string {
    return this.#output + (this.#process?.output ?? '');
  }

  /** @throws Error with what it says when it does not start */
  async start(): Promise<void> {
    if (this.isRunning) return;
    this.#output = this.output.slice(-20_000);
    this.#process = await startServiceProcess(this.#environment);
    if (this.#process.url === '') throw new Error(`the service does not start: ${this.#process.output}`);
  }

  /** Starts another process with the same settings, on another port, and gives what it says when it has ended. */
  startSecondProcess(): Promise<ServiceProcess> {
    return startServiceProcess({ ...this.#environment, PORT: '0' });
  }

  /** At once, in the midst of whatever it does. */
  killImmediately(): void {
    this.#process?.child.kill('SIGKILL');
  }

  async kill(): Promise<void> {
    if (this.#process !== undefined) await stopServiceProcess(this.#process, 'SIGKILL');
  }

  /** @returns its exit code */
  async stop(): Promise<number | null> {
    return this.#process === undefined ? null : stopServiceProcess(this.#process);
  }

  /** How many descriptors it has open. */
  fileDescriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** MiB that it holds in memory. */
  residentMib(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) / 1024;
  }

  /** MiB of what is alive in its heap: asked of Node's inspector, after a collection. */
  async heapMib(): Promise<number> {
    const address = /ws:\/\/\S+/.exec(this.#process?.output ?? '')?.[0];
    if (address === undefined) throw new Error('the inspector does not listen');
    const socket = new WebSocket(address);
    await new Promise((opened, failed) => {
      socket.addEventListener('open', opened);
      socket.addEventListener('error', () => failed(new Error('the inspector does not answer')));
    });
    const call = (id: number, method: string) =>
      new Promise<{ usedSize?: number; backingStorageSize?: number }>((resolve) => {
        socket.addEventListener('message', ({ data }) => {
          const answer = JSON.parse(String(data)) as { id: number; result: { usedSize?: number } };
          if (answer.id === id) resolve(answer.result);
        });
        socket.send(JSON.stringify({ id, method }));
      });
    await call(1, 'HeapProfiler.collectGarbage');
    const { usedSize = 0, backingStorageSize = 0 } = await call(2, 'Runtime.getHeapUsage');
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    socket.close();
    await closed;
    return (usedSize + backingStorageSize) / 2 ** 20;
  }
}
