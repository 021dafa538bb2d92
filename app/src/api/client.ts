import { QueryClient } from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client';
import type { getFetch } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { AppRouter } from '../../../procedures/index.ts';
import { errorDetails, responseError } from './errors.ts';
import { serviceVersion } from './service-version.ts';
import { sessionEnd } from './session-end.ts';

/** Inputs and outputs of the procedures: `Inputs['vendor']['create']`. */
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;

const TRPC_URL = '/trpc';
const MAX_URL_LENGTH = 4000;
const MAX_RETRIES = 2;

/** Sends a request. If the session ended, waits for the sign-in and sends the request again: it was not executed. */
async function fetchWithSession(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  serviceVersion.read(response);
  if (response.status !== 401) return response;
  await sessionEnd.waitForSignIn();
  return fetchWithSession(input, init);
}

/** Reads a file below `/session`. @throws SessionError */
export async function fetchContent(path: string): Promise<Response> {
  const response = await fetchWithSession(path, {});
  if (!response.ok) throw responseError(await response.text(), response);
  return response;
}

/** @param keepalive true for a request that survives the end of the page */
const fetchWith =
  (keepalive: boolean): ReturnType<typeof getFetch> =>
  (input, init) =>
    fetchWithSession(input, { ...init, keepalive, signal: init?.signal ?? null });

/** Calls procedures: `client.vendor.create.mutate({ name })`. */
export const client = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ context }) => context['isSentOnLeave'] === true,
      true: httpLink({
        url: TRPC_URL,
        fetch: fetchWith(true),
        headers: ({ op: { context } }) =>
          typeof context['requestId'] === 'string' ? { 'X-Request-Id': context['requestId'] } : {},
      }),
      false: httpBatchLink({ url: TRPC_URL, maxURLLength: MAX_URL_LENGTH, fetch: fetchWith(false) }),
    }),
  ],
});

/** Options of a call whose request starts at once and survives the end of the page. A batch would wait for a timer. */
export const sentOnLeave = { context: { isSentOnLeave: true } };

/** The same with an X-Request-Id, which the audit log has if the request succeeds. */
export const sentWithId = (requestId: string) => ({ context: { ...sentOnLeave.context, requestId } });

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => {
        const { status } = errorDetails(error);
        return count < MAX_RETRIES && (status === undefined || status >= 500 || status === 429);
      },
    },
  },
});

/** Options of queries: `useQuery(trpc.vendor.get.queryOptions({ vendor }))`. */
export const trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient });
