import { Session } from '../../../database/session.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { sealAuditLog } from '../../../entities/audit/seal-statements.ts';
import { toApiError } from '../../../procedures/core/errors.ts';
import type { createCaller } from '../../../procedures/index.ts';
import { database, sql, tamper } from '../database/database.ts';
import type { TestCompany } from './company.ts';

/** Seals all committed events of a company, as the jobs of the service do. */
export async function seal({ id }: { id: number }): Promise<void> {
  const session = new Session(database, operatorPrincipal(id), 'seal');
  let sealed = 1;
  while (sealed > 0) {
    // A busy machine may exceed the timeout of the statement.
    ({ sealed } = await session.one(sealAuditLog, {}).catch((error: unknown) => {
      if (toApiError(error).code !== 'unavailable') throw error;
      return { sealed };
    }));
  }
}

/**
 * Inserts events without changing a resource.
 * @param size characters of each event
 */
export async function insertEvents(
  { id, apiKey }: Pick<TestCompany, 'id' | 'apiKey'>,
  count: number,
  framework = 0,
  size = 10,
): Promise<void> {
  await sql(
    `insert into audit_event
       (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id, changes, request_id)
     select $1, uuid_v7(), now(), $2, 'task.update', 'task', uuid_v7(), $4,
       jsonb_build_object('description', jsonb_build_object('from', '', 'to', repeat('x', $5::int))), 'test'
     from generate_series(1, $3::int)`,
    id,
    apiKey.user.uniqueId,
    count,
    framework,
    size,
  );
}

/** Inserts seals with any hash for all events of a company that has none. Real seals of large events take time. */
export const insertSeals = ({ id }: { id: number }): Promise<void> =>
  tamper(`insert into audit_seal (company_id, seq, event_id, hash)
    select company_id, row_number() over (order by id), id, sha256(id::text::bytea) from audit_event where company_id = ${id}`);

/** Removes the sealed events after a number, as the restore of an earlier backup does. */
export async function loseEvents({ id }: { id: number }, sequence: number): Promise<void> {
  const lost = `from audit_seal where company_id = ${id} and seq > ${sequence}`;
  await tamper(
    `delete from audit_event where company_id = ${id} and id in (select event_id ${lost})`,
    `delete ${lost}`,
  );
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
