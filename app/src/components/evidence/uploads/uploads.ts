import { useSyncExternalStore } from 'react';
import { errorDetails } from '../../../api/errors.ts';
import { idOf } from '../../timeline/parent.ts';
import type { Parent } from '../../timeline/parent.ts';
import { newRequestId } from '../../timeline/send.ts';
import { reloadWatching } from '../../inbox/watch-button.tsx';
import { reloadEvidence } from '../start/evidence.ts';
import { sendFile } from './send.ts';
import type { FileFields } from './send.ts';
import { Speed } from './speed.ts';

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
