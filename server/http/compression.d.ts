/** Middleware of Connect, for requests and responses of Node.js. https://github.com/expressjs/compression */
declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Options {
    /** Level of gzip, 1 to 9. */
    level: number;
  }
  export default function compression(
    options: Options,
  ): (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}
