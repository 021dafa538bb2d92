import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { columns } from './columns.tsx';
import { NewWebhookDialog } from './new-webhook-dialog.tsx';

/** The endpoints of the company. They are at most 20, so one page has all. */
export function Page() {
  const { isAdmin } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const { data, error, refetch } = useQuery(trpc.webhook.list.queryOptions());
  useShortcut('c', () => setIsCreating(isAdmin));
  const newWebhook = isAdmin && <Button onClick={() => setIsCreating(true)}>New endpoint</Button>;
  const isEmpty = data?.items.length === 0;

  return (
    <Frame title="Webhooks" action={!isEmpty && newWebhook}>
      {error !== null && (
        <ErrorMessage title="The webhooks could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || data !== undefined) && (
        <DataTable
          label="Webhooks"
          columns={columns}
          rows={data?.items}
          rowKey={({ uniqueId }) => uniqueId}
          empty={
            <EmptyState
              text="A webhook sends every change to a program of yours as soon as it happens, signed and with retries. Add the URL that receives the events."
              action={newWebhook}
            />
          }
        />
      )}
      <NewWebhookDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </Frame>
  );
}
