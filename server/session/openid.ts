import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Configuration, CustomFetchOptions } from 'openid-client';
import { ApiError } from '../../entities/api-error.ts';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';
import type { ProviderClient, VerifiedClaims } from '../../procedures/sign-in/single-sign-on.ts';
import { UnreachableError } from '../outbound/guarded-request.ts';
import { createPublicFetch } from '../outbound/public-fetch.ts';

/** Path to which the provider redirects the browser. */
export const CALLBACK_PATH = '/session/sso/callback';

const SCOPE = 'openid email profile';
/** Seconds in which the provider must respond to each request. */
const TIMEOUT_SECONDS = 5;
/** Milliseconds for which the metadata and keys of a provider are cached. */
const CACHE_TTL_MS = 10 * 60_000;
const MAX_CACHED_PROVIDERS = 500;
/** Seconds after which an unreachable provider is tried again. */
const RETRY_SECONDS = 5;

/** Loaded at the first sign-in, which keeps the start fast. */
const loadLibrary = () => import('openid-client');

/** Values of a sign-in that the provider returns or verifies. They are derived from the token of the browser, so none is stored. */
const derive = (token: string, label: 'state' | 'nonce' | 'code_verifier') =>
  createHmac('sha256', token).update(`sso ${label}`).digest('base64url');

/** Returns true if the state in a redirect belongs to the token of the browser. */
export function isStateOf(token: string, state: string): boolean {
  const [actual, expected] = [Buffer.from(state), Buffer.from(derive(token, 'state'))];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/**
 * Client of the OpenID providers of companies: authorization code flow with PKCE, state and nonce.
 * https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 * Its requests go to URLs that admins choose: see `createPublicFetch`. If APP_URL is this machine, which means development,
 * providers on this machine are accepted too, also over http.
 */
export class OpenIdClient {
  readonly #appUrl: () => string;
  readonly #fetch: ReturnType<typeof createPublicFetch>;
  readonly #configurations = new Map<string, { until: number; configuration: Promise<Configuration> }>();

  /** @param appUrl public origin of the server */
  constructor(appUrl: () => string) {
    this.#appUrl = appUrl;
    this.#fetch = createPublicFetch(() => this.#isDevelopment());
  }

  /** URL at which the person signs in. @throws ApiError 503, 422 */
  async authorizationUrl(client: ProviderClient, token: string, email: string): Promise<URL> {
    try {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await loadLibrary();
      return buildAuthorizationUrl(await this.#configuration(client), {
        redirect_uri: this.#redirectUri(),
        scope: SCOPE,
        state: derive(token, 'state'),
        nonce: derive(token, 'nonce'),
        code_challenge: await calculatePKCECodeChallenge(derive(token, 'code_verifier')),
        code_challenge_method: 'S256',
        login_hint: email,
      });
    } catch (error) {
      throw await toProviderError(error);
    }
  }

  /**
   * Exchanges the code in a redirect for an ID token, and verifies its signature, issuer, audience and nonce. Asks for the
   * email separately if the token has none.
   * @param search query of the redirect
   * @throws ApiError 503, 422, 403
   */
  async claims(client: ProviderClient, token: string, search: string): Promise<VerifiedClaims> {
    try {
      const { authorizationCodeGrant, fetchUserInfo } = await loadLibrary();
      const configuration = await this.#configuration(client);
      const tokens = await authorizationCodeGrant(configuration, new URL(this.#redirectUri() + search), {
        pkceCodeVerifier: derive(token, 'code_verifier'),
        expectedState: derive(token, 'state'),
        expectedNonce: derive(token, 'nonce'),
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (idToken === undefined) throw new Error('ID token: expected');
      const { iss: issuer, sub: subject } = idToken;
      const source =
        idToken['email'] === undefined ? await fetchUserInfo(configuration, tokens.access_token, subject) : idToken;
      const { email, email_verified: emailVerified, name } = source;
      return { issuer, subject, email, emailVerified, name };
    } catch (error) {
      throw await toProviderError(error);
    }
  }

  #isDevelopment(): boolean {
    return isLoopbackUrl(this.#appUrl());
  }

  #redirectUri(): string {
    return `${this.#appUrl()}${CALLBACK_PATH}`;
  }

  #configuration(client: ProviderClient): Promise<Configuration> {
    const key = JSON.stringify([client.issuer, client.clientId, client.clientSecret]);
    const cached = this.#configurations.get(key);
    const now = performance.now();
    if (cached !== undefined && cached.until > now) return cached.configuration;
    if (this.#configurations.size >= MAX_CACHED_PROVIDERS) this.#configurations.clear();
    const entry = { until: now + CACHE_TTL_MS, configuration: this.#discover(client) };
    this.#configurations.set(key, entry);
    // An error is cached too, as anybody may start a sign-in.
    entry.configuration.catch(() => (entry.until = performance.now() + RETRY_SECONDS * 1000));
    return entry.configuration;
  }

  /** Reads the metadata of a provider. https://openid.net/specs/openid-connect-discovery-1_0.html */
  async #discover({ issuer, clientId, clientSecret }: ProviderClient): Promise<Configuration> {
    const { ClientSecretBasic, ClientSecretPost, ...library } = await loadLibrary();
    const metadataOnly = await library.discovery(new URL(issuer), clientId, undefined, undefined, {
      [library.customFetch]: (url, options) => this.#send(url, options),
      timeout: TIMEOUT_SECONDS,
      execute: this.#isDevelopment() ? [library.allowInsecureRequests] : [],
    });
    const metadata = metadataOnly.serverMetadata();
    // Some providers have one configuration for all of their customers, whose emails they do not verify.
    if (new URL(metadata.issuer).href !== new URL(issuer).href)
      throw new Error('issuer: expected the issuer of the metadata');
    // The default of the standard is `client_secret_basic`.
    const isPost = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
    const authentication = isPost ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
    const configuration = new library.Configuration(metadata, clientId, undefined, authentication);
    configuration.timeout = TIMEOUT_SECONDS;
    configuration[library.customFetch] = (url, options) => this.#send(url, options);
    if (this.#isDevelopment()) library.allowInsecureRequests(configuration);
    library.enableNonRepudiationChecks(configuration);
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

/**
 * Error for the person, without details: the cause is logged. A provider that does not respond is 503, as a later attempt
 * may succeed. A provider that rejects the request is 422, as an admin must change a setting.
 */
async function toProviderError(cause: unknown): Promise<ApiError> {
  const { AuthorizationResponseError } = await loadLibrary();
  if (cause instanceof AuthorizationResponseError)
    return new ApiError('forbidden', 'The identity provider did not sign you in.', { cause });
  if (isUnreachable(cause))
    return new ApiError('unavailable', 'The identity provider of your company cannot be reached. Try again shortly.', {
      cause,
      retryAfter: RETRY_SECONDS,
    });
  return new ApiError(
    'unprocessable',
    'The identity provider sent no valid response. Ask an admin to check its settings.',
    {
      cause,
    },
  );
}

const isUnreachable = (error: unknown): boolean =>
  (error instanceof Response && error.status >= 500) ||
  (error instanceof Error &&
    (error instanceof UnreachableError ||
      ('code' in error && error.code === 'OAUTH_TIMEOUT') ||
      isUnreachable(error.cause)));
