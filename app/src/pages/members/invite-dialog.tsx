import { Button, Text, Textarea } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import { InputError, errorDetails, fieldErrors } from '../../api/errors.ts';
import { openDialog, Secret, showOnce } from '../../components/form/dialog.tsx';
import { FrameworksField, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import { Time } from '../../components/time.tsx';
import './invitations.css';
import { EndField, giveLink, RoleField } from './member-actions.tsx';
import { toRole } from './roles.ts';

/** What came of the invitation of one address. */
type Result = { email: string } & ({ link: string | null; expiresAt: string } | { error: unknown });

/** The addresses in a text, as mail programs and spreadsheets write them: "Ann Lee <ann@example.com>; bo@example.com". */
const addressesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,;]+/)
      .flatMap((part) => /<([^<>]*)>/.exec(part)?.[1] ?? part.split(/\s+/))
      .map((address) => address.trim())
      .filter((address) => address !== ''),
  ),
];

const reasonOf = (error: unknown): string =>
  Object.values(fieldErrors(errorDetails(error), ['email', 'endsAt'])).join(' ');

interface Values {
  /** One or several addresses. The API names the field of one like this. */
  email: string;
  role: string;
  frameworks: string[];
  /** Last day of the membership; empty without an end. */
  endsAt: string;
}

const EMPTY: Values = { email: '', role: 'editor', frameworks: [], endsAt: '' };

async function invite(email: string, { role, frameworks, endsAt }: Values): Promise<Result> {
  try {
    const access = { role: toRole(role), frameworks: toFrameworks(frameworks), ...(endsAt !== '' && { endsAt }) };
    const { link, expiresAt } = await client.management.member.invite.mutate({ email, ...access });
    return { email, link, expiresAt };
  } catch (error) {
    return { email, error };
  }
}

/** Invites one or several people with the same role. An address that fails does not stop the others. */
export const openInviting = (initial: Values = EMPTY): void =>
  openDialog({
    title: 'Invite people',
    initial,
    fields: (form) => (
      <>
        <Textarea
          label="Email addresses"
          description="One or more, on separate lines or separated by commas"
          rows={3}
          data-autofocus
          {...form.text('email')}
        />
        <RoleField {...form.field('role')} />
        <FrameworksField {...form.field('frameworks')} />
        <EndField {...form.text('endsAt')} />
      </>
    ),
    button: 'Invite',
    submit: async (values) => {
      const addresses = addressesIn(values.email);
      if (addresses.length === 0) throw new InputError('email: enter at least one address');
      const results: Result[] = [];
      // One after the other, because each counts the invitations before it.
      for (const email of addresses) results.push(await invite(email, values));
      await queryClient.invalidateQueries(trpc.management.invitation.pathFilter());
      const [first] = results;
      if (first === undefined || results.length > 1) showReport(results, values);
      else if ('error' in first) throw first.error;
      else giveLink(first, 'Invitation created', first.email);
    },
  });

/** Says for each address what came of it. Links are shown only here. */
function showReport(results: readonly Result[], sent: Values): void {
  const failed = results.filter((result) => 'error' in result);
  const correct = () => openInviting({ ...sent, email: failed.map(({ email }) => email).join('\n') });
  showOnce(
    `${results.length - failed.length} of ${results.length} invited`,
    <>
      {results.some((result) => 'link' in result && result.link !== null) && (
        <Text size="sm">
          Email is not set up. Copy each link now and send it to the person. Each link works once and is shown only
          here.
        </Text>
      )}
      <ul className="invitations" aria-label="Invitations">
        {results.map((result) => (
          <li key={result.email}>
            <Text size="sm" fw={600}>
              {result.email}
            </Text>
            {'error' in result ? (
              <Text size="sm" c="var(--mantine-color-error)">
                Not invited. {reasonOf(result.error)}
              </Text>
            ) : (
              <Invited {...result} />
            )}
          </li>
        ))}
      </ul>
    </>,
    failed.length > 0 && (
      <Button variant="default" onClick={correct}>
        Correct the others
      </Button>
    ),
  );
}

function Invited({ email, link, expiresAt }: { email: string; link: string | null; expiresAt: string }) {
  if (link === null)
    return (
      <Text size="sm">
        Sent by email. The link works until <Time value={expiresAt} />.
      </Text>
    );
  return (
    <>
      <Secret text={link} label={`Copy the link of ${email}`} />
      <Text size="xs" c="dimmed">
        It works until <Time value={expiresAt} />.
      </Text>
    </>
  );
}
