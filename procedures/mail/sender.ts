import type { Session } from '../../database/session.ts';
import type { MailServices } from '../jobs/job.ts';

/** Environment of the senders. */
export interface Sender {
  session: Session<null>;
  mail: MailServices;
  /** Signs the links that turn mails off. */
  secret: Buffer;
  now: () => Date;
}
