import { responseError } from '../../../api/errors.ts';
import type { SessionError } from '../../../api/errors.ts';
import { sessionEnd } from '../../../api/session-end.ts';
import type { Parent } from '../../timeline/parent.ts';

/** Fields of evidence that a person gives with a file. */
export interface FileFields {
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

const pathOf = (parent: Parent): string =>
  'vendor' in parent ? `smart-inventory/vendor/${parent.vendor}` : `task/${parent.taskUniqueId}`;

/** Attaches a file. If the session ended, waits for the sign-in and sends the file again. @throws SessionError */
export async function sendFile(options: SendOptions): Promise<void> {
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
