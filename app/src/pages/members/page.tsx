import { Button, Checkbox, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { askToConfirm } from '../../components/form/dialog.tsx';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Page as Frame } from '../../components/page.tsx';
import { Facts } from '../../components/section/facts.tsx';
import { Section } from '../../components/section/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useSession } from '../../components/use-session.ts';
import { InvitationList } from './invitation-list.tsx';
import { openInviting } from './invite-dialog.tsx';
import { Colleagues, MemberList } from './member-list.tsx';
import { RoleField } from './member-actions.tsx';
import { roleText, toRole } from './roles.ts';

type SsoSettings = NonNullable<Outputs['management']['sso']['get']>;

const reload = () => queryClient.invalidateQueries(trpc.management.sso.pathFilter());

const askToRemove = () =>
  askToConfirm({
    title: 'Remove single sign-on?',
    text: 'Members will sign in with their passwords. Members without a password need a reset link. This removes all links between members and accounts of the provider, and ends the sessions that were started with them.',
    button: 'Remove',
    submit: async () => {
      await client.management.sso.remove.mutate();
      await reload();
    },
  });

/** Form of an admin. The stored client secret is never shown; without a new one it stays. */
function SingleSignOnForm({ saved }: { saved: SsoSettings | null }) {
  const form = useServerForm({
    issuer: saved?.issuer ?? '',
    clientId: saved?.clientId ?? '',
    clientSecret: '',
    domains: (saved?.domains ?? []).join(', '),
    required: saved?.required ?? false,
    trustEmail: saved?.trustEmail ?? false,
    role: saved?.role ?? 'auditor',
  });
  const [isSaved, setIsSaved] = useState(false);

  const save = async () => {
    setIsSaved(false);
    const isDone = await form.submit(async ({ clientSecret, domains, role, ...values }) => {
      await client.management.sso.set.mutate({
        ...values,
        role: toRole(role),
        domains: domains.split(/[\s,]+/).filter((domain) => domain !== ''),
        ...(clientSecret !== '' && { clientSecret }),
      });
      await reload();
    });
    if (isDone) form.set('clientSecret', '');
    setIsSaved(isDone);
  };
  return (
    <Form form={form} onSubmit={save} noValidate>
      <TextInput label="Issuer" description="For example https://login.example.com" {...form.text('issuer')} />
      <TextInput label="Client id" {...form.text('clientId')} />
      <TextInput
        type="password"
        label="Client secret"
        description={saved === null ? undefined : 'Leave empty to keep the stored secret'}
        autoComplete="off"
        {...form.text('clientSecret')}
      />
      <TextInput
        label="Email domains"
        description="For example example.com. Separate several with commas"
        {...form.text('domains')}
      />
      <RoleField {...form.field('role')} />
      <Checkbox
        label="Required"
        description="Members with these domains can no longer sign in with a password, except for the last admin"
        checked={form.values.required}
        onChange={({ currentTarget }) => form.set('required', currentTarget.checked)}
      />
      <Checkbox
        label="Trust emails of the provider"
        description="For a provider that never says whether an email is verified. Anyone who can choose an email at the provider can sign in as the owner of that email."
        checked={form.values.trustEmail}
        onChange={({ currentTarget }) => form.set('trustEmail', currentTarget.checked)}
      />
      <Group gap="xs">
        <Button type="submit" loading={form.isPending}>
          Save
        </Button>
        {saved !== null && (
          <Button variant="default" c="red" onClick={askToRemove}>
            Remove
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {isSaved && 'Saved'}
        </Text>
      </Group>
    </Form>
  );
}

const redirectUri = () => `${window.location.origin}/session/sso/callback`;

/** Settings of single sign-on. Auditors read them. */
function SingleSignOn() {
  const { isAdmin } = useSession();
  const { data, error, refetch } = useQuery(trpc.management.sso.get.queryOptions());
  if (error !== null)
    return <ErrorMessage title="Single sign-on could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={320} maw={720} />;
  return (
    <div className="sections">
      <Section
        title="Identity provider"
        text="Members sign in with your company's OpenID Connect provider, for example Entra ID, Okta or Google."
      >
        <Stack gap="md">
          <Facts
            facts={[
              [
                'Redirect URI for the provider',
                <CopyableId key="uri" value={redirectUri()} label="Copy redirect URI" />,
              ],
            ]}
          />
          {isAdmin ? <SingleSignOnForm saved={data} /> : <Settings saved={data} />}
        </Stack>
      </Section>
      {data !== null && <Domains saved={data} />}
    </div>
  );
}

const Settings = ({ saved }: { saved: SsoSettings | null }) =>
  saved === null ? (
    'Single sign-on is not set up. An admin of the company can set it up here.'
  ) : (
    <Facts
      facts={[
        ['Issuer', saved.issuer],
        ['Client id', saved.clientId],
        ['Role of new members', roleText(saved.role)],
        ['Required', saved.required ? 'Yes' : 'No'],
        ['Trust emails of the provider', saved.trustEmail ? 'Yes' : 'No'],
      ]}
    />
  );

function Domains({ saved: { domains, confirmedDomains } }: { saved: SsoSettings }) {
  return (
    <Section
      title="Domains"
      text="A domain works once the operator of this service has confirmed that it belongs to the company."
    >
      <Facts
        facts={domains.map((domain) => [
          domain,
          confirmedDomains.includes(domain) ? (
            <StatusDot status="active" label="Confirmed" />
          ) : (
            <StatusDot status="inactive" label="Waiting for the operator" />
          ),
        ])}
      />
    </Section>
  );
}

const SINGLE_SIGN_ON = 'single-sign-on';

/** The members. Only those who may read the settings of the company see invitations and single sign-on. */
export function Page() {
  return useSession().canReadManagement ? (
    <Management />
  ) : (
    <Frame title="Members">
      <Colleagues />
    </Frame>
  );
}

function Management() {
  const { isAdmin } = useSession();
  const [{ tab = 'members' }] = useSearch(['tab']);
  const isMembers = tab !== SINGLE_SIGN_ON;
  const actions = (
    <Group gap="xs" wrap="nowrap">
      <Button variant="default" renderRoot={(props) => <Link to="/members/sign-ins" {...props} />}>
        Sign-ins
      </Button>
      {isAdmin && isMembers && <Button onClick={() => openInviting()}>Invite</Button>}
    </Group>
  );
  return (
    <Frame title="Members" action={actions}>
      <nav className="tabs" aria-label="Parts">
        <Link to="." search={{}} aria-current={isMembers ? 'page' : undefined}>
          Members
        </Link>
        <Link to="." search={{ tab: SINGLE_SIGN_ON }} aria-current={isMembers ? undefined : 'page'}>
          Single sign-on
        </Link>
      </nav>
      {isMembers ? (
        <>
          <MemberList />
          <InvitationList />
        </>
      ) : (
        <SingleSignOn />
      )}
    </Frame>
  );
}
