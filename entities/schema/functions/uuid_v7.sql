-- PostgreSQL inlines it into the statement, as it has no settings of its own. Every name has its schema instead, so that no temporary
-- object can take its place. https://wiki.postgresql.org/wiki/Inlining_of_SQL_functions
create or replace function public.uuid_v7() returns pg_catalog.uuid
language sql volatile parallel safe
as $$
  -- 48 bits of Unix milliseconds, version 7, variant 2, the rest random (RFC 9562, section 5.7).
  select pg_catalog.encode(
    pg_catalog.set_bit(pg_catalog.set_bit(
      pg_catalog.overlay(pg_catalog.uuid_send(pg_catalog.gen_random_uuid()),
        pg_catalog.substring(pg_catalog.int8send((extract(epoch from pg_catalog.clock_timestamp())
          operator(pg_catalog.*) 1000)::pg_catalog.int8), 3), 1, 6),
      52, 1), 53, 1),
    'hex')::pg_catalog.uuid
$$;
