import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { sealAuditLog } from '../../entities/statements/audit-seal.ts';
import type { createCaller } from '../../procedures/index.ts';
import { database } from '../support/database/database.ts';

/** Seals all committed events of a company, as the job of the service does each second. */
export async function seal({ id }: { id: number }): Promise<void> {
  const session = new Session(database, operatorPrincipal(id), 'seal');
  while ((await session.one(sealAuditLog, {})).sealed > 0);
}

type Feed = Pick<ReturnType<typeof createCaller>, 'changes'>;
export type Change = Awaited<ReturnType<Feed['changes']['list']>>['items'][number];

/** Reads pages of a feed until no more events are there. */
export async function readAll({ changes }: Feed, input: { cursor?: string; limit?: number } = {}) {
  const items: Change[] = [];
  for (let cursor = input.cursor; ;) {
    const page = await changes.list({ ...input, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    ({ cursor } = page);
    if (!page.more) return { items, cursor };
  }
}
