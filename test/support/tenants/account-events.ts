import type { AccountVerb } from '../../../entities/member/member.ts';
import { asOwner } from '../database/database.ts';

/** Columns with the times of changes of an account, by the verb of the event. */
const COLUMNS: Readonly<Record<AccountVerb, string>> = {
  resetPassword: 'reset_link_at',
  passwordReset: 'password_reset_at',
  passwordChange: 'password_changed_at',
  passkeyAdd: 'passkey_added_at',
  passkeyRemove: 'passkey_removed_at',
  totpEnable: 'totp_enabled_at',
  totpDisable: 'totp_disabled_at',
  prove: 'proved_at',
};

/** Writes events of accounts, without the flows that cause them. */
export const writeAccountEvent = (
  { id: company }: { id: number },
  verb: AccountVerb,
  { of, by }: { of: string; by: string },
): Promise<unknown> =>
  asOwner(
    (run) =>
      run(
        `update member set ${COLUMNS[verb]} = greatest(clock_timestamp(), ${COLUMNS[verb]} + interval '1 microsecond')
         where company_id = $1 and unique_id = $2`,
        company,
        of,
      ),
    { company, user: by },
  );
