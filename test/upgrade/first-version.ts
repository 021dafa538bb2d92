import versions from '../../migrations/versions.json' with { type: 'json' };

/** SQL that makes an empty database of today one of version 0.1.0. Each later migration adds what undoes it. */
export const TO_FIRST_VERSION = [
  `delete from mikro_orm_migrations where name > '${versions['0.1.0']}'`,
  'drop table data_version',
  'drop table service_process',
  'drop table inbox_item',
  'drop table inbox_reader',
  'drop table watch',
  'drop table summary_mail',
  `delete from secret where name = 'unsubscribe'`,
  `alter table person drop column mail_assigned, drop column mail_mentioned, drop column mail_commented, drop column mail_summary,
    drop column mail_refused_at, drop column mail_attempts, drop column mail_next_attempt_at`,
  'drop table evidence',
  'drop table file_chunk',
  'drop table file',
  'drop function count_file_uses()',
  `alter table idempotency_record drop constraint idempotency_record_company_id_foreign,
    add constraint idempotency_record_company_id_api_key_id_foreign foreign key (company_id, api_key_id)
      references api_key (company_id, unique_id)`,
  'drop table view',
  'drop table comment',
  'drop trigger task_delete_children on task',
  'drop trigger vendor_delete_children on vendor',
  'drop function entity_tag(int, int, uuid, uuid, uuid[])',
  'drop function limit_children()',
  'alter table company drop column time_zone',
  'alter table task drop column assignee_id',
  'alter table audit_event drop column parent_type, drop column parent_id',
];
