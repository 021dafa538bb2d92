import { z } from 'zod';
import { ApiError } from '../../../entities/api-error.ts';
import { servicesOf } from '../../core/services.ts';
import { operatorProcedure, router } from '../../core/trpc.ts';
import { testMail } from '../../mail/test.ts';
import { emailInput } from '../../schemas/people.ts';

/** Mails of the service. */
export const mail = router({
  test: operatorProcedure
    .meta({ description: 'Send a mail that tests the mail server' })
    .input(z.strictObject({ to: emailInput }))
    .output(z.object({ sent: z.literal(true) }))
    .mutation(async ({ ctx, input: { to } }) => {
      const { tryMail, appUrl } = servicesOf(ctx);
      if (tryMail === undefined) throw new ApiError('unprocessable', 'SMTP_URL: required to send mails');
      const outcome = await tryMail(testMail(to, appUrl()));
      if (outcome.result === 'sent') return { sent: true };
      const problem =
        outcome.result === 'rejected' ? 'to: the mailbox does not exist' : 'SMTP_URL: the mail was not sent';
      throw new ApiError('unprocessable', `${problem} (${outcome.reason})`);
    }),
});
