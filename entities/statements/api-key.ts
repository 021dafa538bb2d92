import { statement } from '../database/statement.ts';

interface KeyRow {
  company_id: number;
  unique_id: string;
  enabled: boolean;
  expires_at: string | null;
  revoked_at: string | null;
  user_id: string;
  user_name: string;
}

/** The key with this hash and its integration user, of whichever company: it is asked before the company is known. */
export const keyByHash = statement<{ hash: Buffer }, KeyRow>(
  'key.by-hash',
  `select k.company_id, k.unique_id, k.enabled, k.expires_at, k.revoked_at, u.unique_id as user_id, u.name as user_name
  from api_key k join company_user u on u.company_id = k.company_id and u.unique_id = k.user_id
  where k.hash = :hash`,
);
