import { z } from 'zod';
import { AuthenticationResponseInput } from '../../procedures/passkey/schemas.ts';
import { beginPasskeySignIn, signInWithPasskey } from '../../procedures/passkey/sign-in.ts';
import { anonymousSession, readInput, signIn, signInRequest } from './route.ts';
import type { SessionRoute } from './route.ts';
import { recordSignIn } from './sign-in-log.ts';

/** Routes that take a passkey. Contract, section 16. */
export const passkeyRoutes: readonly SessionRoute[] = [
  {
    method: 'POST',
    path: '/session/passkey/begin',
    handle: async (ctx, dependencies) => {
      await readInput(ctx, z.strictObject({}));
      const options = await beginPasskeySignIn(anonymousSession(ctx, dependencies), dependencies.services);
      ctx.type = 'application/json';
      ctx.body = JSON.stringify(options);
    },
  },
  {
    method: 'POST',
    path: '/session/passkey',
    handle: async (ctx, dependencies) => {
      const { response } = await readInput(ctx, z.strictObject({ response: AuthenticationResponseInput }));
      const request = signInRequest(ctx, dependencies);
      const signedIn = await recordSignIn(ctx, dependencies, 'passkey', () =>
        signInWithPasskey(request, dependencies.services, response),
      );
      signIn(ctx, dependencies, signedIn.token);
    },
  },
];
