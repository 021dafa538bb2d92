import { ApiError } from '../../../entities/api-error.ts';
import type { CompanyRow, NewCompany } from '../../../entities/company/statements.ts';
import type { Statement } from '../../../entities/statements/define-statement.ts';
import type { AnySession } from '../../core/context.ts';

/** Number of ids that are tried. A company that arrives from another cell may take the one that was drawn. */
const MAX_ATTEMPTS = 3;

/**
 * Creates a company with an id of this cell.
 * @throws ApiError 409 if none is left
 */
export async function createCompany(
  session: AnySession,
  insert: Statement<NewCompany, CompanyRow>,
  name: string,
): Promise<CompanyRow> {
  const { companyIdStart: idStart } = session.installation;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await session.first(insert, { name, idStart });
    if (row !== undefined) return row;
  }
  throw new ApiError('conflict', `COMPANY_ID_START: no id is left from ${idStart} on`);
}
