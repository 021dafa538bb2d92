import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** A mail as the server received it. */
export interface Received {
  from: string;
  to: string[];
  /** Headers and body. */
  message: string;
}

/** Starts a mail server that keeps what it receives, until the test ends. @param port 0 for any */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      const one = { from, to: envelope.rcptTo.map(({ address }) => address), message: '' };
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => (one.message += chunk));
      stream.on('end', () => {
        received.push(one);
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('mail server: expected a port');
  onTestFinished(() => server.close());
  return { received, port: address.port, url: `smtp://127.0.0.1:${address.port}`, close: () => server.close() };
}

/** Error of a mail server with a reply code. */
export const reply = (responseCode: number, message = 'no') => Object.assign(new Error(message), { responseCode });

/** Headers of a mail by name in lower case, and its body. Header lines are unfolded, and encoded words stay. */
function split(message: string): { headers: Map<string, string>; body: string } {
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, body: message.slice(end + 4) };
}

const fromQuotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll(/=\r?\n/g, '')
      .replaceAll(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** Decodes encoded words, as mail clients do. Spaces between two of them are no text. https://www.rfc-editor.org/rfc/rfc2047 */
const decodeHeader = (value: string): string =>
  value
    .replaceAll(/(\?=)\s+(?==\?)/g, '$1')
    .replaceAll(/=\?[\w-]+\?([BQ])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString()
        : fromQuotedPrintable(text.replaceAll('_', ' ')).toString(),
    );

function decodeBody(headers: ReadonlyMap<string, string>, body: string): string {
  const encoding = headers.get('content-transfer-encoding');
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? fromQuotedPrintable(body)
        : Buffer.from(body);
  return bytes.toString().replaceAll('\r\n', '\n');
}

/** Decodes a mail with a text and an HTML part, as mail clients do. */
export function decodeMail({ message }: Received) {
  const { headers, body } = split(message);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) throw new Error('mail: expected several parts');
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '')));
  const partOf = (type: string) => {
    const part = parts.find((one) => one.headers.get('content-type')?.startsWith(type) === true);
    if (part === undefined) throw new Error(`mail: expected a part of the type ${type}`);
    return decodeBody(part.headers, part.body);
  };
  return {
    /** Headers as they were sent, unfolded. */
    headers,
    subject: decodeHeader(headers.get('subject') ?? ''),
    from: decodeHeader(headers.get('from') ?? ''),
    to: decodeHeader(headers.get('to') ?? ''),
    text: partOf('text/plain'),
    html: partOf('text/html'),
  };
}
