/** Role of the service. PGlite's default role is a superuser, which bypasses row-level security. */
export const SERVICE_ROLE = 'compliance_app';

export const CREATE_SERVICE_ROLE = `do $$ begin create role ${SERVICE_ROLE}; exception when duplicate_object then null; end $$`;

/** Does nothing before the first migration, after which the role is created. */
export const SET_SERVICE_ROLE = `select set_config('role', rolname, false) from pg_roles where rolname = '${SERVICE_ROLE}'`;
