import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Configuration, CustomFetchOptions, IDToken, UserInfoResponse } from 'openid-client';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';
import type { ProviderClient, VerifiedClaims } from '../../procedures/single-sign-on/provider.ts';
import { ApiError } from '../../entities/api-error.ts';
import { MAX_SUBJECT_LENGTH } from '../../entities/single-sign-on/sso.ts';
import { createPublicFetch } from '../outbound/public-fetch.ts';
import { UnreachableError } from '../outbound/guarded-request.ts';
import { ProviderCache, RETRY_SECONDS, ProviderKeys, toProviderMetadata } from './provider.ts';
import type { Provider } from './provider.ts';

/** Path to which the provider redirects the browser. */
export const CALLBACK_PATH = '/session/sso/callback';

const SCOPE = 'openid email profile';
/** Seconds in which the provider must respond to each request, from the connection to the last byte. */
const TIMEOUT_SECONDS = 5;

/** Counts a request before it is sent to a provider. @throws ApiError 429 above the limit */
type CountRequest = () => Promise<void>;

/** Loaded at the first sign-in, which keeps the start fast. */
const loadLibrary = () => import('openid-client');

/** Values of a sign-in that the provider returns or verifies. They are derived from the token of the browser, so none is stored. */
const derive = (token: string, label: 'state' | 'nonce' | 'code_verifier') =>
  createHmac('sha256', token).update(`sso ${label}`).digest('base64url');

/** State of the sign-in with this token. The provider returns it in the redirect. */
export const stateOf = (token: string): string => derive(token, 'state');

/** Returns true if the state in a redirect belongs to the token of the browser. */
export function isStateOf(token: string, state: string): boolean {
  const [actual, expected] = [Buffer.from(state), Buffer.from(stateOf(token))];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/**
 * Error for the person, without details: the cause is logged. A provider that does not respond is 503, as a later attempt
 * may succeed. A provider that rejects the request is 422, as an admin must change a setting.
 */
async function toProviderError(cause: unknown): Promise<ApiError> {
  const { AuthorizationResponseError } = await import('openid-client');
  if (cause instanceof AuthorizationResponseError)
    return new ApiError('forbidden', 'The identity provider did not sign you in.', { cause });
  // The library wraps the errors of requests.
  for (let error = cause; error instanceof Error; error = error.cause) if (error instanceof ApiError) return error;
  if (isUnreachable(cause))
    return new ApiError('unavailable', 'The identity provider of your company cannot be reached. Try again shortly.', {
      cause,
      retryAfter: RETRY_SECONDS,
    });
  return new ApiError(
    'unprocessable',
    'The identity provider did not send a valid response. Ask an admin to check the settings of single sign-on.',
    { cause },
  );
}

const isUnreachable = (error: unknown): boolean =>
  (error instanceof Response && error.status >= 500) ||
  (error instanceof Error &&
    (error instanceof UnreachableError ||
      ('code' in error && error.code === 'OAUTH_TIMEOUT') ||
      isUnreachable(error.cause)));

/** Seconds by which the clock of a provider may be ahead. */
const MAX_CLOCK_LEAD_SECONDS = 300;

/**
 * 1 to 255 characters without NUL, which PostgreSQL does not store.
 * https://openid.net/specs/openid-connect-core-1_0.html#IDToken
 */
const SUBJECT_PATTERN = new RegExp(`^[^\\0]{1,${MAX_SUBJECT_LENGTH}}$`, 'su');

/** Checks claims of an ID token that the library does not check. @throws Error if one is invalid */
function checkIdToken({ sub, aud, azp, iat }: IDToken, clientId: string): void {
  // The database would store each lone surrogate as U+FFFD, so that two accounts would be one.
  if (!SUBJECT_PATTERN.test(sub) || !sub.isWellFormed())
    throw new Error(`sub: expected 1 to ${MAX_SUBJECT_LENGTH} characters`);
  const hasOneAudience = !Array.isArray(aud) || aud.length === 1;
  if (hasOneAudience && azp !== undefined && azp !== clientId) throw new Error('azp: expected this client');
  if (iat > Date.now() / 1000 + MAX_CLOCK_LEAD_SECONDS) throw new Error('iat: expected a time in the past');
}

/** Returns true if userinfo is needed: the email of an ID token, or its verification, is missing. */
const needsUserInfo = (idToken: IDToken): boolean =>
  isMissing(idToken['email']) || isMissing(idToken['email_verified']);

/** Combines the claims of an ID token with those of userinfo. A verification holds only for the email beside it. */
function toVerifiedClaims(idToken: IDToken, userInfo: UserInfoResponse | undefined): VerifiedClaims {
  const { iss: issuer, sub: subject } = idToken;
  const hasEmail = !isMissing(idToken['email']);
  const email = hasEmail ? idToken['email'] : userInfo?.email;
  const own = hasEmail ? idToken['email_verified'] : undefined;
  const emailVerified = isMissing(own) && isSameEmail(email, userInfo?.email) ? userInfo?.email_verified : own;
  return { issuer, subject, email, emailVerified, name: idToken['name'] ?? userInfo?.name };
}

const isMissing = (claim: unknown): boolean => claim === undefined || claim === null;

const isSameEmail = (first: unknown, second: unknown): boolean =>
  typeof first === 'string' && typeof second === 'string' && first.toLowerCase() === second.toLowerCase();

/**
 * Client of the OpenID providers of companies: authorization code flow with PKCE, state and nonce.
 * https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 * Its requests go to URLs that admins choose: see `createPublicFetch`. If APP_URL is this machine, which means development,
 * providers on this machine are accepted too, also over http.
 */
export class OpenIdClient {
  readonly providers = new ProviderCache();
  readonly #appUrl: () => string;
  readonly #maxKeyAgeSeconds: number | undefined;
  readonly #isDevelopment: () => boolean;
  readonly #fetch: ReturnType<typeof createPublicFetch>;

  /**
   * @param appUrl public origin of the server
   * @param maxKeyAgeSeconds seconds for which keys of a provider are used
   * @param isDevelopment returns true if providers may be on this machine
   */
  constructor(appUrl: () => string, maxKeyAgeSeconds?: number, isDevelopment = () => isLoopbackUrl(appUrl())) {
    this.#appUrl = appUrl;
    this.#maxKeyAgeSeconds = maxKeyAgeSeconds;
    this.#isDevelopment = isDevelopment;
    this.#fetch = createPublicFetch(isDevelopment);
  }

  /**
   * URL at which the person signs in.
   * @param hint email or other name of the person, which the provider may show
   * @throws ApiError 503, 422, 429
   */
  async authorizationUrl(
    client: ProviderClient,
    token: string,
    hint: string | undefined,
    count: CountRequest,
  ): Promise<URL> {
    try {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await loadLibrary();
      return buildAuthorizationUrl(await this.#configuration(client, count), {
        redirect_uri: this.#redirectUri(),
        scope: SCOPE,
        state: stateOf(token),
        nonce: derive(token, 'nonce'),
        code_challenge: await calculatePKCECodeChallenge(derive(token, 'code_verifier')),
        code_challenge_method: 'S256',
        ...(hint !== undefined && { login_hint: hint }),
      });
    } catch (error) {
      throw await toProviderError(error);
    }
  }

  /**
   * Exchanges the code in a redirect for an ID token, and verifies its signature, issuer, audience and nonce. Requests userinfo
   * if the ID token has no email, or does not say if it is verified.
   * @param search query of the redirect
   * @throws ApiError 503, 422, 403, 429
   */
  async claims(client: ProviderClient, token: string, search: string, count: CountRequest): Promise<VerifiedClaims> {
    try {
      const { authorizationCodeGrant, fetchUserInfo } = await loadLibrary();
      const configuration = await this.#configuration(client, count);
      const tokens = await authorizationCodeGrant(configuration, new URL(this.#redirectUri() + search), {
        pkceCodeVerifier: derive(token, 'code_verifier'),
        expectedState: stateOf(token),
        expectedNonce: derive(token, 'nonce'),
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (idToken === undefined) throw new Error('ID token: expected');
      checkIdToken(idToken, client.clientId);
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const userInfo =
        hasUserInfo && needsUserInfo(idToken)
          ? await fetchUserInfo(configuration, tokens.access_token, idToken.sub)
          : undefined;
      return toVerifiedClaims(idToken, userInfo);
    } catch (error) {
      throw await toProviderError(error);
    }
  }

  #redirectUri(): string {
    return `${this.#appUrl()}${CALLBACK_PATH}`;
  }

  async #provider(client: ProviderClient, count: CountRequest): Promise<Provider> {
    const cached = this.providers.find(client);
    if (cached !== undefined) return cached;
    // Before the entry, so that other addresses get no error because of the limit of this one.
    await count();
    return this.providers.find(client) ?? this.providers.add(client, this.#discover(client));
  }

  /** Reads the metadata of a provider. https://openid.net/specs/openid-connect-discovery-1_0.html */
  async #discover({ issuer, clientId }: ProviderClient): Promise<Provider> {
    const library = await loadLibrary();
    const configuration = await library.discovery(new URL(issuer), clientId, undefined, undefined, {
      [library.customFetch]: (url, options) => this.#send(url, options),
      timeout: TIMEOUT_SECONDS,
      execute: this.#isDevelopment() ? [library.allowInsecureRequests] : [],
    });
    const metadata = toProviderMetadata(configuration.serverMetadata(), issuer);
    return { metadata, keys: new ProviderKeys(this.#maxKeyAgeSeconds) };
  }

  /** Configuration for one sign-in. The library caches keys in it for longer than `ProviderKeys` permits. */
  async #configuration(client: ProviderClient, count: CountRequest): Promise<Configuration> {
    const { metadata, keys } = await this.#provider(client, count);
    const library = await loadLibrary();
    const authentication = metadata.takesSecretInBody ? library.ClientSecretPost : library.ClientSecretBasic;
    const { clientId, clientSecret } = client;
    const configuration = new library.Configuration(metadata.server, clientId, undefined, authentication(clientSecret));
    const send = async (url: string, options: CustomFetchOptions) => {
      await count();
      return this.#send(url, options);
    };
    configuration.timeout = TIMEOUT_SECONDS;
    configuration[library.customFetch] = (url, options) =>
      URL.parse(metadata.server.jwks_uri ?? '')?.href === url
        ? keys.request(() => send(url, options))
        : send(url, options);
    if (this.#isDevelopment()) library.allowInsecureRequests(configuration);
    library.enableNonRepudiationChecks(configuration);
    const cached = keys.cached();
    if (cached !== undefined) library.setJwksCache(configuration, cached);
    return configuration;
  }

  #send(url: string, { method, headers, body, signal }: CustomFetchOptions): Promise<Response> {
    const text = body instanceof URLSearchParams ? body.toString() : (body ?? undefined);
    if (text !== undefined && typeof text !== 'string') throw new Error('openid: expected a form or text');
    return this.#fetch(url, {
      method,
      headers,
      body: text,
      signal: signal ?? AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
    });
  }
}
