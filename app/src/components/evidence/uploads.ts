import { useSyncExternalStore } from 'react';
import { errorDetails, responseError } from '../../api/errors.ts';
import type { SessionError } from '../../api/errors.ts';
import { sessionEnd } from '../../api/session-end.ts';
import { reloadWatching } from '../inbox/watch-button.tsx';
import { idOf } from '../timeline/parent.ts';
import type { Parent } from '../timeline/parent.ts';
import { newRequestId } from '../timeline/send.ts';
import { reloadEvidence } from './evidence.ts';

/** Fields of evidence that a person gives with a file. */
interface FileFields {
  name: string;
  note: string;
  date: string;
  /** Empty if it does not expire. */
  validUntil: string;
}

interface SendOptions {
  parent: Parent;
  file: File;
  fields: FileFields;
  /** Repeated attempts with one key attach the file once. */
  idempotencyKey: string;
  signal: AbortSignal;
  /** @param sent bytes */
  onProgress: (sent: number) => void;
}

function pathOf(parent: Parent): string {
  if ('vendor' in parent) return `smart-inventory/vendor/${parent.vendor}`;
  return 'requirement' in parent ? `requirement/${parent.requirement}` : `task/${parent.taskUniqueId}`;
}

/** Attaches a file. If the session ended, waits for the sign-in and sends the file again. @throws SessionError */
async function sendFile(options: SendOptions): Promise<void> {
  const request = await send(options);
  if (request.status === 401) {
    await sessionEnd.waitForSignIn();
    return sendFile(options);
  }
  if (request.status !== 201) throw errorOf(request);
}

/** Sends the file once. `fetch` does not report the progress of a body. @throws TypeError without a response */
function send({ parent, file, fields, idempotencyKey, signal, onProgress }: SendOptions): Promise<XMLHttpRequest> {
  const { promise, resolve, reject } = Promise.withResolvers<XMLHttpRequest>();
  const { validUntil, ...texts } = fields;
  const query = new URLSearchParams({ ...texts, ...(validUntil !== '' && { validUntil }) });
  const request = new XMLHttpRequest();
  request.open('POST', `/session/${pathOf(parent)}/evidence/new?${query.toString()}`);
  request.setRequestHeader('Content-Type', file.type === '' ? 'application/octet-stream' : file.type);
  request.setRequestHeader('Idempotency-Key', idempotencyKey);
  request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
  request.addEventListener('load', () => resolve(request));
  request.addEventListener('error', () => reject(new TypeError('No response arrived.')));
  request.addEventListener('abort', () => reject(new DOMException('The upload was cancelled.', 'AbortError')));
  signal.addEventListener('abort', () => request.abort());
  request.send(file);
  return promise;
}

const HEADERS = ['X-Error-Code', 'X-Request-Id'] as const;

function errorOf(request: XMLHttpRequest): SessionError {
  const headers = new Headers();
  for (const name of HEADERS) headers.set(name, request.getResponseHeader(name) ?? '');
  return responseError(request.responseText, new Response(null, { status: request.status, headers }));
}

/** Milliseconds over which the speed is averaged. */
const PERIOD_MS = 5000;
const MIN_MS = 300;

/** The speed of an upload in the last seconds. */
class Speed {
  #samples: { at: number; sent: number }[] = [];

  /** @returns bytes per second; undefined until it is known */
  add(sent: number, at = performance.now()): number | undefined {
    this.#samples = [...this.#samples.filter((sample) => at - sample.at < PERIOD_MS), { at, sent }];
    const [first] = this.#samples;
    if (first === undefined || at - first.at < MIN_MS) return undefined;
    return ((sent - first.sent) / (at - first.at)) * 1000;
  }
}

// Uploads continue while the person opens other pages of the application.

export interface Upload {
  key: number;
  parent: Parent;
  file: File;
  fields: FileFields;
  state: 'waiting' | 'sending' | 'failed';
  /** Bytes that were sent. */
  sent: number;
  /** Bytes per second; undefined until it is known. */
  speed?: number | undefined;
  isAttached: boolean;
  /** Reason of the last attempt that failed. */
  error?: unknown;
  /** Key of the attempts that may have succeeded. */
  idempotencyKey: string;
}

/** Uploads at once. The others wait. */
const MAX_SENDING = 2;

let uploads: readonly Upload[] = [];
let lastKey = 0;
const controllers = new Map<number, AbortController>();
const listeners = new Set<() => void>();

function change(next: readonly Upload[]): void {
  uploads = next;
  listeners.forEach((listener) => listener());
  window[uploads.length > 0 ? 'addEventListener' : 'removeEventListener']('beforeunload', askBeforeLeaving);
}
const update = (key: number, changes: Partial<Upload>) =>
  change(uploads.map((one) => (one.key === key ? { ...one, ...changes } : one)));
const remove = (key: number) => change(uploads.filter((one) => one.key !== key));

const askBeforeLeaving = (event: Event) => event.preventDefault();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The uploads to a task or vendor that have not succeeded, in their order. */
export const useUploads = (parent: Parent): readonly Upload[] =>
  useSyncExternalStore(subscribe, () => uploads).filter((one) => idOf(one.parent) === idOf(parent));

/** Attaches files to a task or vendor. */
export function upload(parent: Parent, files: readonly { file: File; fields: FileFields }[]): void {
  change([
    ...uploads,
    ...files.map(({ file, fields }): Upload => {
      lastKey += 1;
      return {
        key: lastKey,
        parent,
        file,
        fields,
        state: 'waiting',
        sent: 0,
        isAttached: false,
        idempotencyKey: newRequestId(),
      };
    }),
  ]);
  startNext();
}

/** Sends a file again whose upload failed. */
export function tryAgain({ key }: Upload): void {
  update(key, { state: 'waiting', sent: 0, speed: undefined, error: undefined });
  startNext();
}

/** Ends an upload, or removes one that failed. */
export function cancel({ key }: Upload): void {
  remove(key);
  controllers.get(key)?.abort();
}

function startNext(): void {
  while (uploads.filter(({ state }) => state === 'sending').length < MAX_SENDING) {
    const next = uploads.find(({ state }) => state === 'waiting');
    if (next === undefined) return;
    void run(next);
  }
}

async function run({ key, parent, file, fields, idempotencyKey }: Upload): Promise<void> {
  const controller = new AbortController();
  controllers.set(key, controller);
  update(key, { state: 'sending' });
  const speed = new Speed();
  const onProgress = (sent: number) => update(key, { sent, speed: speed.add(sent) });
  try {
    await sendFile({ parent, file, fields, idempotencyKey, signal: controller.signal, onProgress });
    update(key, { isAttached: true });
    await Promise.all([reloadEvidence(parent), reloadWatching(parent)]);
    remove(key);
  } catch (error) {
    const { status } = errorDetails(error);
    const isDecided = status !== undefined && status < 500;
    update(key, { state: 'failed', error, ...(isDecided && { idempotencyKey: newRequestId() }) });
  } finally {
    controllers.delete(key);
    startNext();
  }
}
