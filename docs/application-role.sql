-- The service goes by a role that owns nothing, so that PostgreSQL itself keeps companies apart. Run once, as who may make roles:
create role compliance_owner login password 'choose one';
create role compliance_app login password 'choose another';
create database compliance owner compliance_owner;
-- PostgreSQL lets every role create temporary tables, which would hide the tables of their names:
revoke temporary on database compliance from public;

-- Then start the service with both. It makes the tables as their owner, and lets the other role to them after each migration:
--   MIGRATION_DATABASE_URL=postgresql://compliance_owner:…@host:5432/compliance
--   DATABASE_URL=postgresql://compliance_app:…@host:5432/compliance
