import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { ConfigError } from '../config/settings.ts';
import { waitForPrivileges } from './database.ts';

/**
 * Risk of every excess privilege. A superuser or a role with BYPASSRLS ignores row-level security, and an owner can disable it.
 * TRUNCATE ignores it and fires no row triggers. New objects can hide tables, or replace functions that triggers call.
 * https://www.postgresql.org/docs/current/ddl-rowsecurity.html
 */
const EXCESS_PRIVILEGE_RISK = 'can bypass tenant isolation or the audit log in PostgreSQL';

/**
 * Checks the privileges of the service role.
 * @returns a warning for the operator if it has excess privileges
 * @throws ConfigError if a privilege is missing
 */
export async function checkPrivileges(database: Database, log: Logger): Promise<string[]> {
  const missingPrivileges = await waitForPrivileges(database);
  if (missingPrivileges !== undefined) throw new ConfigError(`DATABASE_URL: ${missingPrivileges}`);
  const excessPrivilege = await database.excessPrivileges();
  if (excessPrivilege === undefined) return [];
  log.warn({ setting: 'DATABASE_URL', excessPrivilege }, `database role: ${EXCESS_PRIVILEGE_RISK}`);
  return [`DATABASE_URL: ${excessPrivilege} and ${EXCESS_PRIVILEGE_RISK}`];
}
