-- A role for the service that can add to the audit trail and read it, and not change it. Run as the owner of the
-- schema, once it is up to date and again after each upgrade that adds tables: psql -f docs/application-role.sql
-- The service then connects as a login that is a member, with RUN_MIGRATIONS=false:
--   create role compliance_login login password '…' in role compliance_app;
-- The owner's own login is for migrations alone. A role that owns nothing can neither disable a trigger nor drop one.

create role compliance_app nologin nosuperuser nobypassrls;
grant usage on schema public to compliance_app;
grant select, insert, update, delete on all tables in schema public to compliance_app;
grant usage on all sequences in schema public to compliance_app;

-- The trail and its seals: insert and select.
revoke update, delete on audit_event, audit_seal from compliance_app;
-- Nobody deletes these either; migrations are the owner's.
revoke delete on company, company_user, framework, department, gap, api_key, audit_horizon from compliance_app;
revoke all on mikro_orm_migrations from compliance_app;
