import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { MCP } from '../../procedures/document/introduction.ts';

/** Maximum length of a message. Clients choose the names of fields in its path. */
const MAX_MESSAGE_LENGTH = 200;

/** The issues of Zod as JSON, behind a text or alone: the message of the library for malformed parameters. */
const ISSUES_PATTERN = /\[\s*\{[^]*\}\s*\]$/;

const Issues = z
  .tuple([z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })])
  .rest(z.unknown());

/** Server of the library, whose errors for malformed parameters are one sentence in place of a list of issues. */
export class SentenceServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler);
    return async (...call: Parameters<typeof handler>) => {
      try {
        return await wrapped(...call);
      } catch (error) {
        const sentence = error instanceof Error ? sentenceOf(error.message) : undefined;
        if (sentence === undefined) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${method}: ${sentence}`);
      }
    };
  }
}

/** Returns the first issue in the message of an error, as `<field>: <what is expected>`; undefined without issues. */
function sentenceOf(message: string): string | undefined {
  const json = ISSUES_PATTERN.exec(message)?.[0];
  if (json === undefined) return undefined;
  const { success, data } = Issues.safeParse(parse(json));
  if (!success) return undefined;
  const [{ path, message: issue }] = data;
  return `${path.join('.')}: ${issue.replace(/^Invalid input: /, '')}`.slice(0, MAX_MESSAGE_LENGTH);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A request to receive notifications. */
interface Subscription {
  id: string | number;
}

/** Returns true for a request of `subscriptions/listen`. */
export const isSubscription = (
  message: Readonly<Record<string, unknown>>,
): message is Readonly<Record<string, unknown>> & Subscription =>
  message['method'] === 'subscriptions/listen' && ['string', 'number'].includes(typeof message['id']);

/** Error for a subscription. The library would report a limit, or an unknown method to clients of 2025. */
export const noSubscriptions = ({ id }: Subscription) => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: ProtocolErrorCode.InvalidParams,
    message: `subscriptions/listen: ${MCP.noSubscriptions}`,
  },
});
