import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import { CLIENT } from '../sign-in/browser.ts';
import { listen } from '../http/listen.ts';

/** Claims of the account that signs in. */
interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

interface ProviderOptions {
  redirectUri: string;
  /** True puts the email into the ID token; by default it is only at the userinfo endpoint. */
  hasEmailInIdToken?: boolean;
  authentication?: 'client_secret_basic' | 'client_secret_post';
  /** True publishes another key than the one that signs. */
  hasOtherKey?: boolean;
  /** Host name of the issuer. For browsers `localhost` is another site than `127.0.0.1`. */
  host?: string;
}

const createKey = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  use: 'sig',
  alg: 'RS256',
  kid: 'test',
});
const signingKey = createKey();

/** Starts an OpenID provider on a free port. It signs in `account` without a form, and takes every consent as given. */
export async function startIdentityProvider({
  redirectUri,
  hasEmailInIdToken = false,
  authentication = 'client_secret_basic',
  hasOtherKey = false,
  host = '127.0.0.1',
}: ProviderOptions) {
  const server = createServer();
  const { port, stop } = await listen(server);
  const issuer = `http://${host}:${port}`;
  const idp = {
    issuer,
    account: { sub: 'nobody' } as Account,
    /** Parameters that replace those of authorization requests. */
    replaced: {} as Record<string, string>,
    requests: [] as string[],
    /** Runs before the response to a token request. */
    beforeToken: undefined as (() => Promise<void>) | undefined,
    close: stop,
  };
  /** Accounts that have signed in. */
  const accounts = new Map<string, Account>();
  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: authentication,
      },
    ],
    clientAuthMethods: [authentication],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !hasEmailInIdToken,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...accounts.get(accountId) }) }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    jwks: { keys: [signingKey] },
    async loadExistingGrant(ctx) {
      const { session, client } = ctx.oidc;
      if (session?.accountId === undefined || client === undefined) return undefined;
      const grant = new ctx.oidc.provider.Grant({ accountId: session.accountId, clientId: client.clientId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  };
  const provider = new Provider(issuer, configuration);
  provider.use(async (ctx, next) => {
    idp.requests.push(ctx.path);
    if (ctx.path === '/token') await idp.beforeToken?.();
    if (ctx.path === '/auth') ctx.query = { ...ctx.query, ...idp.replaced };
    await next();
    if (ctx.path === '/jwks' && hasOtherKey) {
      const { kty, n, e, use, alg, kid } = createKey();
      ctx.body = { keys: [{ kty, n, e, use, alg, kid }] };
    }
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) {
      accounts.set(idp.account.sub, idp.account);
      void provider.interactionFinished(request, response, { login: { accountId: idp.account.sub } });
    } else void handle(request, response);
  });
  return idp;
}
