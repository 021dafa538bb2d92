import { queryOptions } from '@tanstack/react-query';
import { SessionError, responseError } from './errors.ts';

export type Role = 'admin' | 'editor' | 'auditor';

/** Response of `GET /session`. */
export interface Session {
  person: { uniqueId: string; email: string; name: string };
  /** uniqueId of the member. */
  member: string;
  company: { id: number; name: string; timeZone: string; lockClosed: boolean };
  role: Role;
  companies: { id: number; name: string; role: Role }[];
}

/** True if the browser had no session cookie when it loaded the page, and did not sign in since. */
let isSessionAbsent = document.querySelector<HTMLMetaElement>('meta[name=session]')?.content === 'absent';

/** Sends JSON to a route below `/session`, after which there may be a session. @throws SessionError */
export async function sendSession(method: string, path: string, body?: object): Promise<Response> {
  const response = await send(path, { method, ...(body !== undefined && json(body)) });
  isSessionAbsent = false;
  return response;
}

const json = (body: object): RequestInit => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(`/session${path}`, init);
  if (!response.ok) throw responseError(await response.text(), response);
  return response;
}

declare global {
  interface Window {
    /** The session, which `index.html` requests before this code is there. It is used once. */
    startSession?: Promise<Response> | undefined;
  }
}

/** The session; null without one. Sends no request if its response could only be 401. */
export async function fetchSession(): Promise<Session | null> {
  if (isSessionAbsent) return null;
  try {
    const started = await window.startSession?.catch(() => undefined);
    window.startSession = undefined;
    const response = started?.ok === true ? started : await sendSession('GET', '');
    const session: Session = await response.json();
    return session;
  } catch (error) {
    if (error instanceof SessionError && error.status === 401) return null;
    throw error;
  }
}

export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: fetchSession, staleTime: 60_000 });

/** Response of `GET /session/service`. */
interface ServiceFacts {
  /** Name of the company if it is the only one here. */
  company: string | null;
  /** True if the service sends mails. */
  mail: boolean;
}

/** Facts of the service for people who are not signed in. */
export const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: async () => {
    const facts: ServiceFacts = await (await send('/service', {})).json();
    return facts;
  },
  staleTime: 60_000,
});

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
  /** True if accepting needs the password of an account; null for a link that was shown, which tells nobody who has one. */
  account: boolean | null;
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

/** Asks for a mail with a link for a new password. The response does not say if the email has an account. */
export const sendResetLink = (email: string): Promise<Response> =>
  send('/forgot', { method: 'POST', ...json({ email }) });

/** Gives an account the address to which a link was mailed. There may be no session before and after. */
export const confirmEmail = (input: { token: string; password?: string }): Promise<Response> =>
  send('/email', { method: 'POST', ...json(input) });

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

/** True if the server responds. */
export const isConnected = (): Promise<boolean> =>
  fetchSession().then(
    () => true,
    () => false,
  );
