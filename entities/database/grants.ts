/** What the role of the service may do beside reading: the trail is only ever added to, and its seals are not its own. */
const MAY: Readonly<Record<string, string>> = {
  insert: 'audit_event',
  'insert, update': 'company, company_user, framework, department, gap, api_key, task_count',
  'insert, update, delete': 'task, vendor, remembered_answer',
};

/**
 * SQL that gives a role what the service needs and nothing beyond it; run by the owner of the tables, again after each
 * migration. docs/decisions/0028-a-second-wall.md.
 */
export function grantsTo(role: string): string {
  const to = `"${role.replaceAll('"', '""')}"`;
  return [
    `revoke all on all tables in schema public from ${to}`,
    `grant usage on schema public to ${to}`,
    `grant usage on all sequences in schema public to ${to}`,
    `grant select on all tables in schema public to ${to}`,
    ...Object.entries(MAY).map(([privileges, tables]) => `grant ${privileges} on ${tables} to ${to}`),
  ].join(';\n');
}

/** Asks what makes the role of a connection too strong for the policies; no row when nothing does. */
export const TOO_STRONG = `
  select case when r.rolsuper then 'is a superuser' when r.rolbypassrls then 'bypasses row-level security'
    else 'owns the tables' end as why, r.rolname as role
  from pg_roles r
  where r.rolname = current_user and (r.rolsuper or r.rolbypassrls
    or exists (select from pg_class c where c.oid = to_regclass('task') and pg_has_role(c.relowner, 'member')))`;
