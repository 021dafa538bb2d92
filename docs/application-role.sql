-- Roles of the service. The service role owns nothing, so PostgreSQL applies row-level security to it. Run once as a superuser:
create role compliance_owner login password 'choose one';
create role compliance_app login password 'choose another';
create database compliance owner compliance_owner;
-- Every role may create temporary tables by default, and these would hide tables of the same name:
revoke temporary on database compliance from public;

-- Start the service with both roles. The owner creates the tables, and grants privileges to the service role after each migration:
--   MIGRATION_DATABASE_URL=postgresql://compliance_owner:…@host:5432/compliance
--   DATABASE_URL=postgresql://compliance_app:…@host:5432/compliance
