import { createReadStream } from 'node:fs';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { ApiError } from '../../entities/api-error.ts';
import type { SpooledFile } from '../../procedures/core/storage.ts';
import type { S3Settings } from '../config/settings.ts';
import { unavailable } from './errors.ts';

/** Limits of the time of a request. */
export interface Timeouts {
  /** Maximum number of milliseconds without a byte in either direction. */
  stallMs: number;
  /** Maximum number of milliseconds until the response, and for its body, plus those of the bytes at the slowest rate. */
  responseMs: number;
}

export interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Key of an object; by default the request concerns the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Content of an object. */
  file?: SpooledFile;
}

const TIMEOUTS: Timeouts = { stallMs: 20_000, responseMs: 30_000 };
/** Slowest rate at which a file is sent, in bytes a millisecond. */
const MIN_RATE = 500;
/** Slowest rate at which the body of a response is received. */
const MIN_READ_RATE = 50;
/** Pause in milliseconds before the second attempt. */
const RETRY_PAUSE_MS = 300;
/** Maximum bytes of a response other than the content of an object. A page of 1,000 keys has less than a tenth. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 64 * 1024;
/** SHA-256 of no bytes. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Texts of the elements with a name. Responses of S3 have neither attributes in these elements, nor comments or CDATA. */
export const valuesOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => unescapeXml(text));

const unescapeXml = (text: string) =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi,
    (entity, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? entity;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
    },
  );

/** A response with an error. The message has neither the body, which repeats the request, nor a header. */
class S3ResponseError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(method: string, status: number, body: string) {
    const code = valuesOf(body, 'Code').find((text) => /^\w{1,64}$/.test(text)) ?? '';
    super(`S3: ${method}: ${status} ${code}`.trimEnd());
    this.status = status;
    this.code = code;
  }

  /** True if the object does not exist, or has no byte in the range. Without a code, the path may be none of an S3 server. */
  get isMissing(): boolean {
    return (this.status === 404 && this.code === 'NoSuchKey') || this.status === 416;
  }
}

/** A request that was aborted, because another attempt would take as long. */
class S3TimeoutError extends Error {}

/** True for a response that another attempt may change, and for a lost connection. */
function isTransient(error: unknown): boolean {
  if (error instanceof S3ResponseError) return error.status >= 500;
  return error instanceof Error && 'code' in error && CONNECTION_ERRORS.has(String(error.code));
}

const CONNECTION_ERRORS = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Sends signed requests to a bucket. It follows no redirect, which would take the file to another server. */
export class S3Client {
  readonly #settings: S3Settings;
  readonly #timeouts: Timeouts;
  readonly #isHttps: boolean;
  readonly #agent: HttpAgent | HttpsAgent;
  /** Keys that were derived from the secret, by day. */
  readonly #derivedKeys = new Map<string, ArrayBuffer>();
  /** Abort the calls in progress. */
  readonly #calls = new Set<(error: Error) => void>();
  #isEnded = false;

  constructor(settings: S3Settings, timeouts: Timeouts = TIMEOUTS) {
    this.#settings = settings;
    this.#timeouts = timeouts;
    this.#isHttps = settings.bucketUrl.startsWith('https:');
    this.#agent = new (this.#isHttps ? HttpsAgent : HttpAgent)({ keepAlive: true });
  }

  /** Aborts all calls, and later ones at once. */
  end(): void {
    this.#isEnded = true;
    for (const giveUp of this.#calls) giveUp(processStops());
  }

  /** Sends a request, again after a lost connection or a 5xx. @returns the text of the response; empty for a missing object */
  call(request: S3Request): Promise<string> {
    return this.#repeat(request, async (response) => {
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of this.chunksOf(response)) {
        parts.push(chunk);
        size += chunk.length;
        if (size > MAX_TEXT_BYTES) throw new Error(`S3: ${request.method}: expected a shorter response`);
      }
      return Buffer.concat(parts).toString();
    }).then((text) => text ?? '');
  }

  /** Sends a request for the content of an object, which `chunksOf` reads. @returns undefined for a missing object or range */
  send(request: S3Request): Promise<IncomingMessage | undefined> {
    return this.#repeat(request, async (response) => response);
  }

  /** Chunks of a response. Time that the caller takes for a chunk does not count. @throws ApiError 503 */
  async *chunksOf(response: IncomingMessage): AsyncGenerator<Uint8Array> {
    const { stallMs, responseMs } = this.#timeouts;
    const giveUp = (error: Error) => void response.destroy(error);
    let leftMs = responseMs;
    let waitsSince = 0;
    let timer: NodeJS.Timeout | undefined;
    const startTimer = () => {
      waitsSince = performance.now();
      timer = setTimeout(
        () => giveUp(leftMs < stallMs ? new S3TimeoutError('S3: the body arrives too slowly') : this.#stalled()),
        Math.min(stallMs, leftMs),
      );
    };
    this.#calls.add(giveUp);
    try {
      if (this.#isEnded) throw processStops();
      startTimer();
      for await (const chunk of response) {
        clearTimeout(timer);
        leftMs += chunk.length / MIN_READ_RATE - (performance.now() - waitsSince);
        yield chunk;
        startTimer();
      }
    } catch (error) {
      throw unavailable(error);
    } finally {
      clearTimeout(timer);
      this.#calls.delete(giveUp);
      response.destroy();
    }
  }

  async #repeat<T>(request: S3Request, use: (response: IncomingMessage) => Promise<T>): Promise<T | undefined> {
    for (let isLast = false; ; isLast = true) {
      try {
        if (this.#isEnded) throw processStops();
        return await use(await this.#attempt(request));
      } catch (error) {
        if (error instanceof S3ResponseError && error.isMissing) return undefined;
        if (error instanceof ApiError) throw error; // of the body
        if (isLast || !isTransient(error)) throw unavailable(error);
        await wait(RETRY_PAUSE_MS);
      }
    }
  }

  /** Resolves when the headers of a successful response have arrived. */
  async #attempt(request: S3Request): Promise<IncomingMessage> {
    const sent = await this.#start(request);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { file, method } = request;
    let failure: Error | undefined;
    const giveUp = (error: Error) => {
      failure ??= error;
      sent.destroy(error);
      reject(error); // no event may follow
    };
    const maxMs = this.#timeouts.responseMs + (file?.size ?? 0) / MIN_RATE;
    const timer = setTimeout(() => giveUp(new S3TimeoutError(`S3: ${method}: no response in time`)), maxMs);
    this.#calls.add(giveUp);
    sent.on('timeout', () => giveUp(this.#stalled()));
    sent.on('response', resolve);
    sent.on('error', reject);
    // Nothing else precedes it after 101 Switching Protocols: Node.js then closes the connection.
    sent.on('close', () => reject(new Error(`S3: ${method}: no response`)));
    if (file === undefined) sent.end();
    else pipeline(createReadStream(file.path), sent, (error) => error && reject(error));
    try {
      const response = await promise;
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) {
        sent.setTimeout(0); // from here on `chunksOf` measures
        return response;
      }
      // Node.js would use the connection again, which now speaks another protocol.
      if (statusCode < 200) response.socket.destroy();
      const body = statusCode < 200 ? '' : await textOf(response);
      sent.destroy(); // the rest of the file
      throw new S3ResponseError(method, statusCode, body);
    } catch (error) {
      throw failure ?? error;
    } finally {
      clearTimeout(timer);
      this.#calls.delete(giveUp);
    }
  }

  async #start({ method, key = '', query = {}, headers, file }: S3Request): Promise<ClientRequest> {
    const { bucketUrl, region, accessKeyId, secretAccessKey, sessionToken } = this.#settings;
    const url = new URL(key === '' ? bucketUrl : `${bucketUrl}/${key}`);
    url.search = new URLSearchParams(query).toString();
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'X-Amz-Content-Sha256': file?.sha256 ?? EMPTY_SHA256 },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      cache: this.#derivedKeys,
    }).sign();
    return (this.#isHttps ? requestHttps : requestHttp)(url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), ...(file && { 'Content-Length': file.size }) },
      agent: this.#agent,
      timeout: this.#timeouts.stallMs,
    });
  }

  #stalled(): Error {
    return new S3TimeoutError(`S3: no byte for ${this.#timeouts.stallMs} ms`);
  }
}

const processStops = () => new S3TimeoutError('S3: the process stops');

/** The body of an error. */
async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > MAX_ERROR_CHARACTERS) break;
  }
  return text;
}
