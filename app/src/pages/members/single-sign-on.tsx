import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Facts } from '../../components/section/facts.tsx';
import { Section } from '../../components/section/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { useSession } from '../../components/use-session.ts';
import { roleText } from './roles.ts';
import type { SsoSettings } from './single-sign-on-form.tsx';
import { SingleSignOnForm } from './single-sign-on-form.tsx';

const redirectUri = () => `${window.location.origin}/session/sso/callback`;

/** Settings of single sign-on. Auditors read them. */
export function SingleSignOn() {
  const { isAdmin } = useSession();
  const { data, error, refetch } = useQuery(trpc.management.sso.get.queryOptions());
  if (error !== null)
    return <ErrorMessage title="Single sign-on could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={320} maw={720} />;
  return (
    <div className="sections">
      <Section
        title="Identity provider"
        text="Members sign in at an OpenID Connect provider of the company, such as Entra ID, Okta or Google."
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
    'Single sign-on is not set up. An admin of the company can do it here.'
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
            <StatusDot status="inactive" label="Waits for the operator" />
          ),
        ])}
      />
    </Section>
  );
}
