import type { ParameterizedContext } from 'koa';

/** Milliseconds for which the server still reads after its response. */
const LINGER_TIMEOUT_MS = 2000;

/**
 * Closes the connection after the response although the client may send more. Until then the server discards what arrives,
 * because closing at once would reset the connection, and a client that sends would lose the response.
 * https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function closeAfterResponse({ req, res }: Pick<ParameterizedContext, 'req' | 'res'>): void {
  const { socket } = req;
  if (!res.headersSent) res.setHeader('Connection', 'close');
  // Node calls this method after a response that closes the connection.
  socket.destroySoon = () => {
    socket.end();
    req.resume();
    const timer = setTimeout(() => socket.destroy(), LINGER_TIMEOUT_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
