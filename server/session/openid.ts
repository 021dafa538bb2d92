import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Configuration, CustomFetchOptions } from 'openid-client';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';
import type { VerifiedClaims } from '../../procedures/single-sign-on/account.ts';
import type { ProviderClient } from '../../procedures/single-sign-on/provider.ts';
import { createPublicFetch } from '../outbound/public-fetch.ts';
import { ProviderCache } from './provider/cache.ts';
import type { Provider } from './provider/cache.ts';
import { checkIdToken, needsUserInfo, toVerifiedClaims } from './provider/claims.ts';
import { toProviderError } from './provider/errors.ts';
import { ProviderKeys } from './provider/keys.ts';
import { toProviderMetadata } from './provider/metadata.ts';

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
    // Before the entry, so that the limit of one address is not the error of others.
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
