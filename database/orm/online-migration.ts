import { Migration } from '@mikro-orm/migrations';
import { OPERATOR } from '../../entities/company/user.ts';
import { ALL_COMPANIES } from '../../entities/statements/define-statement.ts';

/** Maximum number of rows that a fill changes in one transaction. Requests that change one of them wait for its commit. */
const SLICE_ROWS = 1000;

/** Rows of a table, in SQL. */
interface Rows {
  table: string;
  /** Column of the primary key that orders the rows of a company. */
  key: string;
  where: string;
  /** 'all companies' for tables without a company, whose rows no company may see. */
  rowScope?: 'company' | 'all companies';
}

/**
 * A migration that commits after each statement, for work on tables with rows that keeps no request waiting. Each statement has
 * the same result when it is repeated, because the next start after a kill runs the whole migration again.
 */
export abstract class OnlineMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /** Does nothing, because the previous migration undoes both. */
  override down(): void {}

  /**
   * Fills rows in transactions of 1,000, as the operator in each company. Triggers run, so that a change of an audited value would
   * be an event: a fill may only change columns that are not audited.
   */
  protected addFill({ set, ...rows }: Rows & { /** Assignments of the update. */ set: string }): void {
    this.#addSlices(rows, (slice) => `update ${rows.table} set ${set} where ${slice}`);
  }

  /**
   * Inserts what derives from rows, in the same way. The rows are locked: a change waits, and its triggers write what derives from it.
   * @param insert makes the statement of an expression for the rows
   */
  protected addDerivedRows({ insert, ...rows }: Rows & { insert: (rows: string) => string }): void {
    const { table, key } = rows;
    this.#addSlices(rows, (slice) => insert(`(select * from ${table} where ${slice} order by ${key} for share)`));
  }

  /** Runs a statement for each 1,000 rows. @param statementFor the condition of these rows */
  #addSlices({ table, key, where, rowScope = 'company' }: Rows, statementFor: (slice: string) => string): void {
    const companies = rowScope === 'company' ? 'array(select id from company order by id)' : `array[${ALL_COMPANIES}]`;
    const isOfCompany = rowScope === 'company' ? 'company_id = of_company' : 'true';
    this.addSql(`do $$
      declare
        companies int[];
        of_company int;
        slice_start ${table}.${key}%type;
        slice_end ${table}.${key}%type;
      begin
        perform set_config('app.company', '${ALL_COMPANIES}', true);
        companies := ${companies};
        foreach of_company in array companies loop
          slice_start := null;
          loop
            -- All settings end with the transaction. Row-level security applies to the owner of the table too.
            perform set_config('app.company', of_company::text, true), set_config('app.user', '${OPERATOR.uniqueId}', true),
              set_config('lock_timeout', '500ms', true), set_config('plan_cache_mode', 'force_custom_plan', true);
            select ${key} into slice_end from (
              select ${key} from ${table}
              where ${isOfCompany} and (slice_start is null or ${key} > slice_start) and (${where}) order by ${key} limit ${SLICE_ROWS}) slice
              order by ${key} desc limit 1;
            exit when not found;
            ${statementFor(`${isOfCompany} and (slice_start is null or ${key} > slice_start) and ${key} <= slice_end and (${where})`)};
            commit;
            slice_start := slice_end;
          end loop;
        end loop;
      end
      $$`);
  }
}
