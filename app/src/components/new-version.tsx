import { Alert, Button, Group, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { serviceVersion } from '../api/service-version.ts';

const TITLE = 'A new version is running';

/** Notice after an upgrade of the service. The page works on until a person reloads it. */
export function NewVersion() {
  const isNew = useSyncExternalStore(serviceVersion.subscribe, serviceVersion.isNew);
  // The empty status exists before its text, so that screen readers announce it.
  return <div role="status">{isNew && <ReloadAlert title={TITLE} />}</div>;
}

/** In place of a part of the page whose code could not be loaded: an upgrade has replaced it, or the network failed. */
export function MissingPart() {
  const isNew = useSyncExternalStore(serviceVersion.subscribe, serviceVersion.isNew);
  return <ReloadAlert title={isNew ? TITLE : 'This part of the page could not be loaded'} />;
}

/** The browser asks before it drops text that is not saved. */
const ReloadAlert = ({ title }: { title: string }) => (
  <Alert color="indigo" radius={0} py="xs">
    <Group justify="space-between" gap="xs">
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Button size="xs" variant="default" onClick={() => window.location.reload()}>
        Reload
      </Button>
    </Group>
  </Alert>
);
