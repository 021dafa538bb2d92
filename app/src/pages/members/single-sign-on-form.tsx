import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { RoleField } from './role-field.tsx';
import { toRole } from './roles.ts';

export type SsoSettings = NonNullable<Outputs['management']['sso']['get']>;

const reload = () => queryClient.invalidateQueries(trpc.management.sso.pathFilter());

async function remove(): Promise<void> {
  await client.management.sso.remove.mutate();
  await reload();
}

/** Form of an admin. The stored client secret is never shown; without a new one it stays. */
export function SingleSignOnForm({ saved }: { saved: SsoSettings | null }) {
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
  const [isRemoving, setIsRemoving] = useState(false);

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
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="md">
        {form.error !== undefined && <ErrorMessage error={form.error} />}
        <TextInput label="Issuer" description="Such as https://login.example.com" {...form.text('issuer')} />
        <TextInput label="Client id" {...form.text('clientId')} />
        <TextInput
          type="password"
          label="Client secret"
          description={saved === null ? undefined : 'Leave empty to keep the stored one'}
          autoComplete="off"
          {...form.text('clientSecret')}
        />
        <TextInput
          label="Email domains"
          description="Such as example.com, separated by commas"
          {...form.text('domains')}
        />
        <RoleField {...form.field('role')} />
        <Checkbox
          label="Required"
          description="Turns passwords off for members with these domains, except the last admin"
          checked={form.values.required}
          onChange={({ currentTarget }) => form.set('required', currentTarget.checked)}
        />
        <Checkbox
          label="Trust emails of the provider"
          description="For a provider that never says whether an email is verified. Who can choose an email there can sign in as its owner."
          checked={form.values.trustEmail}
          onChange={({ currentTarget }) => form.set('trustEmail', currentTarget.checked)}
        />
        <Group gap="xs">
          <Button type="submit" loading={form.isPending}>
            Save
          </Button>
          {saved !== null && (
            <Button variant="default" c="red" onClick={() => setIsRemoving(true)}>
              Remove
            </Button>
          )}
          <Text size="sm" c="dimmed" role="status">
            {isSaved && 'Saved'}
          </Text>
        </Group>
      </Stack>
      <ConfirmDialog
        title="Remove single sign-on?"
        action="Remove"
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        onConfirm={remove}
      >
        <Text size="sm">
          Members sign in with their passwords. Those without one need a reset link. All links of members to accounts of
          the provider are removed, and the sessions made with them end.
        </Text>
      </ConfirmDialog>
    </form>
  );
}
