-- Comparisons that ignore case give the same result on every database. lower() depends on the collation of the database: with
-- "C" it knows ASCII letters only. pg_c_utf8 comes with PostgreSQL 17, und-x-icu with every build that has ICU. Simple and full
-- case mapping differ in two letters: both calls of translate make them equal. Not strict and without settings, so that
-- PostgreSQL inlines it: it names nothing outside pg_catalog. https://www.postgresql.org/docs/current/collation.html
do $do$
declare
  best constant text := (select collname from pg_collation
    where collname in ('pg_c_utf8', 'und-x-icu') and collnamespace = 'pg_catalog'::regnamespace
      and collencoding in (-1, (select encoding from pg_database where datname = current_database()))
    order by collname = 'pg_c_utf8' desc limit 1);
begin
  execute format($create$
    create or replace function public.fold_case(text) returns text
    language sql immutable parallel safe
    as $fold$
      select case when pg_catalog.octet_length($1) operator(pg_catalog.=) pg_catalog.char_length($1)
        then pg_catalog.lower($1 collate pg_catalog."C") collate pg_catalog.%1$I
        else pg_catalog.translate(pg_catalog.lower(pg_catalog.translate($1, 'İ', 'i') collate pg_catalog.%1$I), 'ς', 'σ') end
    $fold$
  $create$, coalesce(best, 'default'));
end
$do$;
