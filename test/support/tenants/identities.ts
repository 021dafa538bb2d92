import { createHash } from 'node:crypto';
import { Session } from '../../../database/session.ts';
import { identifyMembers } from '../../../procedures/member/identity.ts';
import { database, sql } from '../database/database.ts';

/** A record of identity, with the event that has its digest. */
export interface IdentityRecord {
  identity: string;
  member_id: string;
  salt: string;
  name: string;
  email: string;
  action: string;
  user_id: string;
  changes: { identity: unknown };
}

/** Records of a member, the oldest first. */
export const identitiesOf = (member: string) =>
  sql<IdentityRecord>(
    `select i.identity, i.member_id, i.salt, i.name, i.email, e.action, e.user_id, e.changes
     from identity i join audit_event e on e.company_id = i.company_id and e.id = i.event_id
     where i.member_id = $1 order by i.event_id`,
    member,
  );

/** The digest as a reader of the docs computes it: lines of salt, name and email. */
export const sha256 = (...lines: string[]) => createHash('sha256').update(lines.join('\n'), 'utf8').digest('hex');

/** Runs the job that gives members a record. */
export const runIdentityJob = () => identifyMembers(new Session(database, null, 'test'));
