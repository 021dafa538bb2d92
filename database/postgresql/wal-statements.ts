/** Reads the flushed position. The timeline is in the name of the file that is being written. */
export const PRIMARY_POSITION = {
  name: 'wal-position.primary',
  text: `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::float8 as bytes,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline`,
  values: [],
};

/**
 * The newest timeline that a standby surely has reached: that of its last restart point, or of the last page that it wrote to the
 * disk in recovery. Both are in the control file. PostgreSQL shows the present timeline of a standby nowhere else.
 */
const REPLAYED_TIMELINE = `greatest(
      (pg_control_checkpoint()).timeline_id, (pg_control_recovery()).min_recovery_end_timeline)`;

export const REPLICA_POSITION = {
  name: 'wal-position.replica',
  text: `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as bytes, ${REPLAYED_TIMELINE} as timeline
    where pg_is_in_recovery()`,
  values: [],
};

/**
 * Settings that precede a statement on a replica. In the same round trip, checks that this server has replayed the log up to the
 * flushed position of the primary, on the timeline of the primary. One address may lead to several servers, so earlier checks do
 * not count. A server keeps its timeline as long as its connections, so each connection remembers it: reading the control file
 * takes as long as a tenth of a small statement.
 */
export const REPLICA_SETTINGS = {
  name: 'settings.replica',
  text: `select set_config('app.company', $1, true),
    pg_is_in_recovery() and pg_last_wal_replay_lsn() >= '0/0'::pg_lsn + $2::numeric
      and case when current_setting('app.timeline', true) = $3::text then true
        else set_config('app.timeline', (${REPLAYED_TIMELINE})::text, false) = $3::text end as has_replayed`,
};
/** Index of the column of this check. */
export const HAS_REPLAYED = 1;
