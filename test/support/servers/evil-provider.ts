import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { CLIENT } from '../sign-in/browser.ts';
import { listen } from '../http/listen.ts';

type Json = Record<string, unknown>;

/** A key that signs ID tokens. */
export interface SigningKey {
  privateKey: KeyObject;
  /** The public key as the provider publishes it. */
  jwk: Json;
}

/** Creates a key for RS256. */
export function createSigningKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } };
}

const encode = (part: Json): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs claims with RS256. */
export function signToken(claims: Json, header: Json, { privateKey }: SigningKey): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign('RSA-SHA256', Buffer.from(input), privateKey).toString('base64url')}`;
}

/** Signs claims with HS256. */
export function signWithSecret(claims: Json, header: Json, secret: string): string {
  const input = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** A token that says that it needs no signature. */
export const withoutSignature = (claims: Json, header: Json): string =>
  `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`;

type Endpoint = 'discovery' | 'keys' | 'authorize' | 'token' | 'userinfo';

/** Parts of the provider that a test replaces. Each function gets the honest part. */
export interface Parts {
  discovery?: (document: Json) => unknown;
  keys?: (keys: Json[]) => unknown;
  /** Parameters of the redirect to the service; undefined leaves one out. */
  redirect?: Record<string, string | undefined>;
  /** Values stored with the code in place of those in the request. */
  stored?: { nonce?: string; code_challenge?: string };
  /** Claims of the ID token; undefined leaves one out. */
  claims?: Json;
  header?: Json;
  idToken?: (claims: Json, header: Json, key: SigningKey) => string;
  token?: (response: Json) => unknown;
  userinfo?: (claims: Json) => unknown;
  /** Takes over the responses of endpoints: status, delay, raw bytes, redirect. */
  raw?: Partial<Record<Endpoint, (response: ServerResponse, request: IncomingMessage) => unknown>>;
}

const PATHS: Record<string, Endpoint> = {
  '/.well-known/openid-configuration': 'discovery',
  '/keys': 'keys',
  '/authorize': 'authorize',
  '/token': 'token',
  '/userinfo': 'userinfo',
};

const defaultKey = createSigningKey('first');

/** Starts an OpenID provider on a free port of this machine. It is honest, except for the parts that a test replaces. */
export async function startEvilProvider() {
  const server = createServer((request, response) => void respond(request, response));
  const { url: issuer, stop: close } = await listen(server);
  const codes = new Map<string, URLSearchParams>();
  const evil = {
    issuer,
    close,
    parts: {} as Parts,
    /** Account that signs in. */
    account: { sub: 'nobody' } as Json,
    key: defaultKey,
    /** Endpoints that were requested, in order. */
    requests: [] as Endpoint[],
    /** Number of requests to an endpoint. */
    count: (endpoint: Endpoint) => evil.requests.filter((one) => one === endpoint).length,
  };

  const discovery = () => ({
    issuer: evil.issuer,
    authorization_endpoint: `${evil.issuer}/authorize`,
    token_endpoint: `${evil.issuer}/token`,
    userinfo_endpoint: `${evil.issuer}/userinfo`,
    jwks_uri: `${evil.issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256'],
  });

  function authorize(request: URLSearchParams): string {
    const code = randomBytes(16).toString('base64url');
    for (const [name, value] of Object.entries(evil.parts.stored ?? {})) request.set(name, value);
    codes.set(code, request);
    const target = new URL(request.get('redirect_uri') ?? '');
    const parameters = { code, state: request.get('state') ?? '', ...evil.parts.redirect };
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) target.searchParams.set(name, value);
    return target.href;
  }

  function token(form: URLSearchParams, authorization = ''): Json | undefined {
    const request = codes.get(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const secret = decodeURIComponent(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString());
    const isRight =
      request?.get('code_challenge') === challenge && secret === `${CLIENT.clientId}:${CLIENT.clientSecret}`;
    if (!isRight || !codes.delete(form.get('code') ?? '')) return undefined;
    const now = Math.floor(Date.now() / 1000);
    const nonce = request.get('nonce');
    const times = { iat: now, exp: now + 60 };
    const claims = { iss: evil.issuer, aud: CLIENT.clientId, nonce, ...times, ...evil.account, ...evil.parts.claims };
    const header = { alg: 'RS256', kid: evil.key.jwk['kid'], ...evil.parts.header };
    const idToken = (evil.parts.idToken ?? signToken)(claims, header, evil.key);
    return { access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: idToken };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', evil.issuer);
    const endpoint = PATHS[url.pathname];
    const { parts } = evil;
    if (endpoint !== undefined) evil.requests.push(endpoint);
    const raw = endpoint && parts.raw?.[endpoint];
    const send = (body: unknown, status = 200) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (raw !== undefined) raw(response, request);
    else if (endpoint === 'authorize') response.writeHead(302, { Location: authorize(url.searchParams) }).end();
    else if (endpoint === 'discovery') send((parts.discovery ?? same)(discovery()));
    else if (endpoint === 'keys') send((parts.keys ?? ((keys) => ({ keys })))([evil.key.jwk]));
    else if (endpoint === 'userinfo') send((parts.userinfo ?? same)(evil.account));
    else if (endpoint === 'token') {
      const tokens = token(new URLSearchParams(await text(request)), request.headers.authorization);
      send(tokens === undefined ? { error: 'invalid_grant' } : (parts.token ?? same)(tokens), tokens ? 200 : 400);
    } else send({}, 404);
  }

  return evil;
}

const same = (part: Json): unknown => part;
