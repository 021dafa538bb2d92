import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useRef, useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { InputError, errorDetails, fieldErrors } from '../../api/errors.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { FrameworksField, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import { Time } from '../../components/time.tsx';
import './invitations.css';
import { sayMailed } from './link-dialog.tsx';
import { RoleField } from './role-field.tsx';
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

const reasonOf = (error: unknown): string => Object.values(fieldErrors(errorDetails(error), ['email'])).join(' ');

interface InviteDialogProps {
  opened: boolean;
  onClose: () => void;
}

interface Values {
  /** One or several addresses. The API names the field of one like this. */
  email: string;
  role: string;
  frameworks: string[];
}

const EMPTY: Values = { email: '', role: 'editor', frameworks: [] };

/** Invites one or several people with the same role. An address that fails does not stop the others. */
export function InviteDialog({ opened, onClose }: InviteDialogProps) {
  const form = useServerForm(EMPTY);
  const [report, setReport] = useState<{ results: readonly Result[]; sent: Values }>();
  /** The form closes when it is sent, and must not take the report along. */
  const isReporting = useRef(false);
  const show = (next: typeof report) => {
    isReporting.current = next !== undefined;
    setReport(next);
  };

  const invite = async (email: string, { role, frameworks }: Values): Promise<Result> => {
    try {
      const access = { role: toRole(role), frameworks: toFrameworks(frameworks) };
      const { link, expiresAt } = await client.management.member.invite.mutate({ email, ...access });
      return { email, link, expiresAt };
    } catch (error) {
      return { email, error };
    }
  };
  const submit = async (values: Values) => {
    const addresses = addressesIn(values.email);
    if (addresses.length === 0) throw new InputError('email: enter at least one address');
    const ended: Result[] = [];
    // One after the other, because each counts the invitations before it.
    for (const email of addresses) ended.push(await invite(email, values));
    await queryClient.invalidateQueries(trpc.management.invitation.pathFilter());
    const [first] = ended;
    if (first === undefined || ended.length > 1) show({ results: ended, sent: values });
    else if ('error' in first) throw first.error;
    else if (first.link === null) sayMailed(first.email, first.expiresAt);
    else show({ results: ended, sent: values });
  };
  const close = () => {
    show(undefined);
    onClose();
  };
  if (report !== undefined)
    return (
      <Report
        results={report.results}
        onCorrect={(failed) => {
          form.set('email', failed.map(({ email }) => email).join('\n'));
          form.set('role', report.sent.role);
          form.set('frameworks', report.sent.frameworks);
          show(undefined);
        }}
        onDone={close}
      />
    );
  return (
    <FormDialog
      title="Invite people"
      submitLabel="Invite"
      opened={opened}
      onClose={() => {
        if (!isReporting.current) onClose();
      }}
      form={form}
      onSubmit={submit}
    >
      <Textarea
        label="Email addresses"
        description="One or several, each on a line of its own or separated by commas"
        rows={3}
        data-autofocus
        {...form.text('email')}
      />
      <RoleField {...form.field('role')} />
      <FrameworksField {...form.field('frameworks')} />
    </FormDialog>
  );
}

interface ReportProps {
  results: readonly Result[];
  /** Returns to the form with the addresses that failed. */
  onCorrect: (failed: readonly Result[]) => void;
  onDone: () => void;
}

/** Says for each address what came of it. Links are shown only here, so that only the buttons close it. */
function Report({ results, onCorrect, onDone }: ReportProps) {
  const failed = results.filter((result) => 'error' in result);
  const hasLinks = results.some((result) => 'link' in result && result.link !== null);
  return (
    <Modal
      opened
      onClose={onDone}
      title={
        results.length === 1 ? 'Invitation created' : `${results.length - failed.length} of ${results.length} invited`
      }
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        {hasLinks && (
          <Text size="sm">
            Mail is not set up: copy each link now and send it to the person. It works once, and is shown only here.
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
        <Group justify="flex-end" gap="xs">
          {failed.length > 0 && (
            <Button variant="default" onClick={() => onCorrect(failed)}>
              Correct the others
            </Button>
          )}
          <Button onClick={onDone}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Invited({ email, link, expiresAt }: { email: string; link: string | null; expiresAt: string }) {
  if (link === null)
    return (
      <Text size="sm">
        Mailed. The link works until <Time value={expiresAt} />.
      </Text>
    );
  return (
    <>
      <Group gap="xs" wrap="nowrap" align="flex-start" className="secret">
        <code className="mono">{link}</code>
        <CopyButton value={link} label={`Copy the link of ${email}`} />
      </Group>
      <Text size="xs" c="dimmed">
        It works until <Time value={expiresAt} />.
      </Text>
    </>
  );
}
