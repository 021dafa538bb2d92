import { queryOptions } from '@tanstack/react-query';
import { SessionError, responseError } from './errors.ts';

export type Role = 'admin' | 'editor' | 'auditor';

/** Response of `GET /session`. */
export interface Session {
  person: { uniqueId: string; email: string; name: string };
  /** uniqueId of the member. */
  member: string;
  company: { id: number; name: string; timeZone: string };
  role: Role;
  companies: { id: number; name: string; role: Role }[];
}

/** True if the browser had no session cookie when it loaded the page, and did not sign in since. */
let isSessionAbsent = document.querySelector<HTMLMetaElement>('meta[name=session]')?.content === 'absent';

/** Sends JSON to a route below `/session`, after which there may be a session. @throws SessionError */
export async function sendSession(method: string, path: string, body?: object): Promise<Response> {
  const response = await send(path, {
    method,
    ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  isSessionAbsent = false;
  return response;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(`/session${path}`, init);
  if (!response.ok) throw responseError(await response.text(), response);
  return response;
}

/** The session; null without one. Sends no request if its response could only be 401. */
export async function fetchSession(): Promise<Session | null> {
  if (isSessionAbsent) return null;
  try {
    const session: Session = await (await sendSession('GET', '')).json();
    return session;
  } catch (error) {
    if (error instanceof SessionError && error.status === 401) return null;
    throw error;
  }
}

export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: fetchSession, staleTime: 60_000 });

export interface Credentials {
  email: string;
  password: string;
  code?: string;
}

export const signIn = (credentials: Credentials): Promise<Response> => sendSession('POST', '', credentials);
export const signOut = (): Promise<Response> => sendSession('DELETE', '');
export const switchCompany = (company: number): Promise<Response> => sendSession('PATCH', '', { company });

/** Response of `POST /session/invitation/look`. */
export interface Invitation {
  /** Name of the company. */
  company: string;
  email: string;
  role: Role;
  /** True if accepting needs the password of an account. */
  account: boolean;
}

export async function lookAtInvitation(token: string): Promise<Invitation> {
  const invitation: Invitation = await (await sendSession('POST', '/invitation/look', { token })).json();
  return invitation;
}

export const acceptInvitation = (input: {
  token: string;
  name?: string;
  password: string;
  code?: string;
}): Promise<Response> => sendSession('POST', '/invitation', input);
export const resetPassword = (input: { token: string; password: string }): Promise<Response> =>
  sendSession('POST', '/reset', input);

/** Deletes the account of a person who is not a member any more. */
export const deleteAccount = (credentials: Credentials): Promise<Response> =>
  sendSession('POST', '/delete', credentials);

/** Turns off the mails to which a link belongs, without a session. */
export const unsubscribe = (token: string): Promise<Response> =>
  send(`/unsubscribe/${encodeURIComponent(token)}`, { method: 'POST' });

export const linkAccount = (input: { password: string; code?: string }): Promise<Response> =>
  sendSession('POST', '/sso/link', input);

/** Address that starts single sign-on and then leads to a path of the application. */
export const singleSignOnUrl = (email: string, returnPath: string): string =>
  `/session/sso?${new URLSearchParams({ email, return: returnPath }).toString()}`;
