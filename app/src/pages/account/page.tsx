import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { serviceVersion } from '../../api/service-version.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { EmailForm } from './email-form.tsx';
import { MyData } from './my-data.tsx';
import { Notifications } from './notifications.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

export function Page() {
  const { data: account, error, refetch } = useQuery(trpc.account.get.queryOptions());
  return (
    <Frame title="Account">
      <div className="sections">
        {error !== null && (
          <ErrorMessage title="The account could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {error === null && account === undefined && <Skeleton h={480} />}
        {account !== undefined && (
          <>
            <ProfileForm account={account} />
            <EmailForm email={account.email} />
            <PasswordForm email={account.email} />
            <SecondFactor email={account.email} isOn={account.totp} />
            <Passkeys passkeys={account.passkeys} />
            <Notifications />
            <Sessions />
            <MyData />
            <Text size="sm" c="dimmed">
              Version {serviceVersion.get()}
            </Text>
          </>
        )}
      </div>
    </Frame>
  );
}
