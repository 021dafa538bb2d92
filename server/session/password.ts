import { acceptInvitation, InvitationInput } from '../../procedures/sign-in/invitation.ts';
import { ResetInput, resetPassword } from '../../procedures/sign-in/reset.ts';
import { SignInInput, signInWithPassword } from '../../procedures/sign-in/sign-in.ts';
import { readInput, signIn, signInRequest } from './route.ts';
import type { SessionRoute } from './route.ts';
import { recordAttempt, recordSignIn } from './sign-in-log.ts';

/** Routes that take a password. Contract, section 16. */
export const passwordRoutes: readonly SessionRoute[] = [
  {
    method: 'POST',
    path: '/session',
    handle: async (ctx, dependencies) => {
      const input = await readInput(ctx, SignInInput);
      const request = signInRequest(ctx, dependencies);
      const signedIn = await recordSignIn(ctx, dependencies, 'password', () => signInWithPassword(request, input));
      signIn(ctx, dependencies, signedIn.token);
    },
  },
  {
    method: 'POST',
    path: '/session/invitation',
    handle: async (ctx, dependencies) => {
      const input = await readInput(ctx, InvitationInput);
      const request = signInRequest(ctx, dependencies);
      const signedIn = await recordSignIn(ctx, dependencies, 'invitation', () => acceptInvitation(request, input));
      signIn(ctx, dependencies, signedIn.token);
    },
  },
  {
    method: 'POST',
    path: '/session/reset',
    handle: async (ctx, dependencies) => {
      const input = await readInput(ctx, ResetInput);
      const request = signInRequest(ctx, dependencies);
      const person = await recordAttempt(ctx, dependencies, 'reset', () => resetPassword(request, input));
      dependencies.log.info({ requestId: request.requestId, person, address: ctx.ip }, 'password: reset');
      ctx.status = 204;
    },
  },
];
