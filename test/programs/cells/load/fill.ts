import { OPERATOR } from '../../../../entities/company/user.ts';
import { withClient } from '../../../support/database/client.ts';
import { until } from '../../../support/servers/until.ts';
import type { LoadCell } from './cell.ts';

/** Rows that a vendor has: its own, its event, and the seal of the event. */
const ROWS_PER_VENDOR = 3;
const REQUEST_ID = 'fill';
const SEALED_TIMEOUT_MS = 600_000;

/** Adds about `rows` rows to a company: vendors, their events and seals. */
export function fillCompany({ ownerUrl }: LoadCell, company: number, rows: number): Promise<void> {
  return withClient(ownerUrl, async (client) => {
    await client.query('begin');
    for (const [name, value] of [
      ['company', company],
      ['user', OPERATOR.uniqueId],
      ['request', REQUEST_ID],
    ])
      await client.query('select set_config($1, $2, true)', [`app.${name}`, String(value)]);
    await client.query(
      `insert into vendor (company_id, unique_id, name, description, labels, created_by_id, updated_by_id)
       select $1, gen_random_uuid(), 'Supplier ' || n, repeat('Delivers parts. ', 10), array['parts'], $2, $2
       from generate_series(1, $3::int) n`,
      [company, OPERATOR.uniqueId, Math.floor(rows / ROWS_PER_VENDOR)],
    );
    await client.query('commit');
    const unsealed = async () => {
      const { rows: counts } = await client.query<{ unsealed: number }>(
        `select (select count(*) from audit_event where company_id = $1)::int -
           (select count(*) from audit_seal where company_id = $1)::int as unsealed`,
        [company],
      );
      return counts[0]?.unsealed === 0;
    };
    await until(unsealed, `the events of company ${company} are sealed`, SEALED_TIMEOUT_MS);
  });
}

/** True for the vendors and events that `fillCompany` made: no client of the load sent them. */
export const isFilled = ({ request_id: requestId }: { request_id: string }): boolean => requestId === REQUEST_ID;
