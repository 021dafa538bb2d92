import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { Time } from '../../components/time.tsx';
import { say } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import type { Member } from './roles.ts';

/** Says that the mailbox of a member does not exist, so that no mails are sent. An admin lifts that. */
export function MailRefused({ member: { uniqueId, name, email, mailRefusedAt } }: { member: Member }) {
  const { isAdmin } = useSession();
  const resume = useMutation({
    mutationFn: () => client.management.member.resumeMail.mutate({ uniqueId }),
    onSuccess: () => {
      say(`Emails to ${email} will be sent again.`);
      return queryClient.invalidateQueries(trpc.management.member.pathFilter());
    },
  });
  if (mailRefusedAt === null) return null;
  return (
    <>
      <Group gap={8}>
        <span>
          <StatusDot status="failed" label="Email rejected" /> <Time value={mailRefusedAt} />
        </span>
        {isAdmin && (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={`Send emails again to ${name}`}
            loading={resume.isPending}
            onClick={() => resume.mutate()}
          >
            {' '}
            Send emails again{' '}
          </Button>
        )}
      </Group>
      {resume.error !== null && <ErrorMessage error={resume.error} />}
    </>
  );
}
