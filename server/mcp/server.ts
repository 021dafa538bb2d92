import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import type { ApiError } from '../../entities/api-error.ts';
import type { Context } from '../../procedures/core/context.ts';
import { ERRORS, toApiError } from '../../procedures/core/errors.ts';
import { MCP } from '../../procedures/document/introduction.ts';
import { SentenceServer } from './protocol-errors.ts';
import type { Selection } from './selection.ts';

const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18'];

const SERVER_INFO = { name: 'compliance-api', title: MCP.title, version: '1.0.0' };

/** One request. */
export interface McpSession {
  /** The message as the client sent it. */
  message: Readonly<Record<string, unknown>>;
  selection: Selection;
  context: Context;
  /** Receives the error of a call, before it becomes a result. An error that it throws becomes a JSON-RPC error. */
  onCallError: (error: ApiError) => void;
}

/** Creates the server of one request. It keeps no state between requests. */
export function createMcpServer({ message, selection, context, onCallError }: McpSession): Server {
  const server = new SentenceServer(SERVER_INFO, {
    capabilities: { tools: {} },
    instructions: MCP.instructions,
    supportedProtocolVersions: PROTOCOL_VERSIONS,
  });
  server.setRequestHandler('tools/list', () => ({ tools: [...selection.listed] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = selection.tools.get(params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool. See tools/list.');
    const { input, ignored } = tool.readArguments(argumentsOf(message));
    try {
      const value = await tool.call(context, async () => input);
      return withIgnored(
        server.projectCallToolResult(toResult(value), selection.hasOutputSchemas ? tool.outputSchema() : undefined),
        ignored,
      );
    } catch (error) {
      const apiError = toApiError(error);
      onCallError(apiError);
      return withIgnored(toErrorResult(apiError), ignored);
    }
  });
  return server;
}

/** Arguments of a call as the client sent them. The library copies them without `__proto__`, which is an unknown argument. */
const argumentsOf = ({ params }: McpSession['message']): object => Object(Reflect.get(Object(params), 'arguments'));

/** Tells a model, and the client around it, which of the arguments had no effect. */
const withIgnored = (result: CallToolResult, ignored: readonly string[]): CallToolResult =>
  ignored.length === 0
    ? result
    : {
        ...result,
        content: [...result.content, { type: 'text', text: `Ignored, because unknown: ${ignored.join(', ')}` }],
        _meta: { ...result._meta, ignoredArguments: [...ignored] },
      };

/** A value as JSON text, and as structured content for clients that read it. */
const toResult = (value: unknown): CallToolResult =>
  value === undefined
    ? { content: [{ type: 'text', text: 'Done.' }] }
    : { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };

const toErrorResult = ({ message, code, reason }: ApiError): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify({ error: message, code, status: ERRORS[reason].status }) }],
});
