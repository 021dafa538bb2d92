import { TIMEOUTS_MS } from '../timeouts.ts';

/**
 * Settings of each session. Dates have one format, whatever the server defaults are. All statements are short, so JIT
 * compilation would cost more than it saves. https://www.postgresql.org/docs/current/jit-decision.html
 */
export const SESSION_PARAMETERS = { datestyle: 'ISO', timezone: 'UTC', jit: 'off' };

/** Timeouts that the server enforces. */
export const SERVER_TIMEOUTS = {
  statement_timeout: TIMEOUTS_MS.statement,
  lock_timeout: TIMEOUTS_MS.lock,
  idle_in_transaction_session_timeout: TIMEOUTS_MS.idleInTransaction,
};

export const SESSION_OPTIONS = {
  options: Object.entries(SESSION_PARAMETERS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
};

/** Startup parameters of a connection of the service that no pooler shares. */
export const STARTUP_PARAMETERS = { ...SERVER_TIMEOUTS, ...SESSION_OPTIONS };

/** A pooler follows `datestyle` and `timezone` of its clients itself, so they do not show that it ignores others. */
const EXPECTED = Object.entries({ ...SERVER_TIMEOUTS, jit: SESSION_PARAMETERS.jit })
  .map(([name, value]) => `('${name}', '${value}')`)
  .join(', ');

/** Selects the startup parameters that are not in force. A pooler can ignore them (PgBouncer: `ignore_startup_parameters`). */
export const IGNORED_PARAMETERS = `select name from (values ${EXPECTED}) expected (name, value)
  where value is distinct from (select setting from pg_settings where pg_settings.name = expected.name)`;
