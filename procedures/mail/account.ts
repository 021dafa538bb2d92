import { ACCOUNT_TITLES } from '../../entities/inbox/visible.ts';
import type { AccountVerb } from '../../entities/member/member.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import { PRODUCT, actorIn, timeIn } from './wording.ts';
import type { MailActor } from './wording.ts';

interface AccountChange {
  to: string;
  verb: AccountVerb;
  /** Who made the change. */
  by: MailActor;
  at: Date;
  appUrl: string;
}

/** Mail about a change of an account, which its person always hears of. */
export function accountMail({ to, verb, by, at, appUrl }: AccountChange): Mail {
  const isOwn = by.kind === 'person';
  return composeMail({
    to,
    subject: ACCOUNT_TITLES[verb],
    blocks: [
      `This concerns your account in ${PRODUCT}. It was done by ${isOwn ? 'you' : actorIn(by)}, on ${timeIn(at)}.`,
      isOwn
        ? 'If this was not you, choose “Forgot password” on the sign-in page at once: a new password ends all sessions and removes all passkeys. Then tell an admin of your company.'
        : 'If you do not know why, ask an admin of your company or the operator of the service.',
      { button: { text: 'Open your account', url: `${appUrl}/account` } },
    ],
  });
}
