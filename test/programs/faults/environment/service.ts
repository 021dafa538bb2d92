import { readdirSync, readFileSync } from 'node:fs';
import {
  isRunning,
  startService,
  startServiceProcess,
  stopServiceProcess,
} from '../../../support/servers/service-process.ts';
import type { ServiceProcess } from '../../../support/servers/service-process.ts';

/** The service, started as in production. It keeps its port over restarts. */
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
      LOG_LEVEL: 'warn',
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
    };
  }

  get isRunning(): boolean {
    return this.#process !== undefined && isRunning(this.#process);
  }

  get pid(): number {
    const pid = this.#process?.child.pid;
    if (pid === undefined || !this.isRunning) throw new Error('the service is not running');
    return pid;
  }

  /** Output of its processes. */
  get output(): string {
    return this.#output + (this.#process?.output ?? '');
  }

  /** @throws Error with the output if the service does not start */
  async start(): Promise<void> {
    if (this.isRunning) return;
    this.#output = this.output.slice(-20_000);
    this.#process = await startService(this.#environment);
  }

  /** Starts another process with the same settings on another port. */
  startSecondProcess(): Promise<ServiceProcess> {
    return startServiceProcess({ ...this.#environment, PORT: '0' });
  }

  /** Sends SIGKILL synchronously, so that a protocol point can call it. */
  killImmediately(): void {
    this.#process?.child.kill('SIGKILL');
  }

  async kill(): Promise<void> {
    if (this.#process !== undefined) await stopServiceProcess(this.#process, 'SIGKILL');
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    return this.#process === undefined ? null : stopServiceProcess(this.#process);
  }

  /** Counts the open file descriptors. */
  fileDescriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Resident memory. */
  residentMib(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) / 1024;
  }

  /** Size of the live heap: Node's inspector reports it after a garbage collection. */
  async heapMib(): Promise<number> {
    const address = /ws:\/\/\S+/.exec(this.#process?.output ?? '')?.[0];
    if (address === undefined) throw new Error('the inspector does not listen');
    const socket = new WebSocket(address);
    await new Promise((opened, failed) => {
      socket.addEventListener('open', opened);
      socket.addEventListener('error', () => failed(new Error('the inspector does not respond')));
    });
    const call = (id: number, method: string) =>
      new Promise<{ usedSize?: number; backingStorageSize?: number }>((resolve) => {
        socket.addEventListener('message', ({ data }) => {
          const response = JSON.parse(String(data)) as { id: number; result: { usedSize?: number } };
          if (response.id === id) resolve(response.result);
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
