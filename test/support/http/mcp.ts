import { http } from './server.ts';
import type { HttpResponse } from './server.ts';

/** Protocol versions whose clients send `initialize`. Clients of 2026 send their version with each request. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18'] as const;
export const MODERN_VERSION = '2026-07-28';

/** Metadata of each request of a client of 2026. */
export const modernMeta = (version: string = MODERN_VERSION) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
});

interface RequestOptions extends NonNullable<Parameters<typeof http>[2]> {
  /** Query of the URL, with `?`. */
  query?: string;
}

/** Sends a body to `/mcp` with the headers of a client. */
export const postMcp = ({ headers, query = '', ...options }: RequestOptions): Promise<HttpResponse> =>
  http('POST', `/mcp${query}`, { ...options, headers: { Accept: 'application/json, text/event-stream', ...headers } });

/** Returns the JSON-RPC message of a response, which is JSON or one server-sent event. */
export function messageOf({ text }: Pick<HttpResponse, 'text'>): Record<string, unknown> {
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return JSON.parse(json) as Record<string, unknown>;
}

export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: unknown;
}

/** Value that a tool returned as text; undefined if it returns nothing. */
export const valueOf = ({ content: [first] }: Pick<ToolResult, 'content'>): unknown =>
  first === undefined || first.text === 'Done.' ? undefined : JSON.parse(first.text);

/** Calls a tool with a key. Returns its result. */
export async function callTool(
  key: string,
  name: string,
  input: object = {},
  options: RequestOptions = {},
): Promise<ToolResult> {
  const response = await postMcp({
    key,
    ...options,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
  });
  const { result } = messageOf(response);
  if (result === undefined) throw new Error(`${name}: expected a result, received ${response.text}`);
  return result as ToolResult;
}

interface ListedTool {
  name: string;
  outputSchema?: object;
}

/** Tools that `tools/list` shows to a key. */
export async function listTools(key: string, query = ''): Promise<ListedTool[]> {
  const { result } = messageOf(await postMcp({ key, query, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }));
  return (result as { tools: ListedTool[] }).tools;
}

/** Names of the tools that `tools/list` shows to a key. */
export const listedTools = async (key: string, query = ''): Promise<string[]> =>
  (await listTools(key, query)).map(({ name }) => name);
