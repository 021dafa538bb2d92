import { listSomeServed } from '../../entities/company/closing.ts';
import type { AnySession } from '../core/context.ts';
import type { Services } from '../core/services.ts';

/** Facts about this installation for the sign-in page. Everybody may read them. */
export interface ServiceFacts {
  /** Name of the company if it is the only one that is open here. */
  company: string | null;
  /** True if the service sends mails, for example with a link for a forgotten password. */
  mail: boolean;
}

export async function readServiceFacts(
  session: AnySession,
  { hasMail }: Pick<Services, 'hasMail'>,
): Promise<ServiceFacts> {
  const [first, second] = await session.run(listSomeServed, {});
  return { company: second === undefined ? (first?.name ?? null) : null, mail: hasMail };
}
