import { client, queryClient, trpc } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { FrameworksField, fromFrameworks, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { RoleField } from './role-field.tsx';
import { toRole } from './roles.ts';
import type { Member } from './roles.ts';

/** Changes the role and the frameworks of a member. */
export function EditMemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { uniqueId, name } = member;
  const initial: { role: string; frameworks: string[] } = {
    role: member.role,
    frameworks: fromFrameworks(member.frameworks),
  };
  const form = useServerForm(initial);
  return (
    <FormDialog
      title={`Edit ${name}`}
      submitLabel="Save"
      opened
      onClose={onClose}
      form={form}
      onSubmit={async ({ role, frameworks }) => {
        await client.management.member.update.mutate({
          uniqueId,
          role: toRole(role),
          frameworks: toFrameworks(frameworks),
        });
        await Promise.all([
          queryClient.invalidateQueries(trpc.management.member.pathFilter()),
          queryClient.invalidateQueries(trpc.member.pathFilter()),
          queryClient.invalidateQueries(sessionQuery),
        ]);
      }}
    >
      <RoleField {...form.field('role')} />
      <FrameworksField {...form.field('frameworks')} />
    </FormDialog>
  );
}
