import { Text, TextInput } from '@mantine/core';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { InputError } from '../../../api/errors.ts';
import { openDialog } from '../../../components/form/dialog.tsx';
import type { ServerForm } from '../../../components/form/use-server-form.ts';
import { MemberSelect } from '../../../components/person/member-select.tsx';
import { maySee } from '../../../components/person/use-members.ts';
import type { Member } from '../../../components/person/use-members.ts';
import { handOver } from './hand-over.ts';
import type { Giver, Progress } from './hand-over.ts';
import { openTasksText, useOpenTaskCount, useOpenTasksByFramework } from './open-tasks.ts';

interface HandOverValues {
  /** Choice of the field, and the member that it is. */
  receiver: string | null;
  to: Member | undefined;
  /** Progress of the hand-over; undefined before it. */
  progress: Progress | undefined;
}

const newValues = (): HandOverValues => ({ receiver: null, to: undefined, progress: undefined });

interface ReceiverFieldProps {
  form: ServerForm<HandOverValues>;
  from: Giver;
  label: string;
  placeholder?: string;
}

/** The member who gets the open tasks of another, and the tasks that this one may not see. */
function ReceiverField({ form, from, label, placeholder = '' }: ReceiverFieldProps) {
  const { receiver, to, progress } = form.values;
  const { rows = [] } = useOpenTasksByFramework(from.uniqueId);
  const kept = to === undefined ? [] : rows.filter(({ framework }) => !maySee(to, framework.id));
  return (
    <>
      <MemberSelect
        label={label}
        placeholder={placeholder}
        except={from.uniqueId}
        withNobody={false}
        clearable
        value={receiver}
        onChange={(value, member) => {
          form.set('receiver', value);
          form.set('to', member);
        }}
      />
      {to !== undefined &&
        kept.map(({ framework, total }) => (
          <Text key={framework.id} size="sm">
            {to.name} does not have access to {framework.name}: {openTasksText(total)} {total === 1 ? 'stays' : 'stay'}{' '}
            with {from.name}.
          </Text>
        ))}
      <Text size="sm" role="status">
        {progress !== undefined &&
          `${progress.done.toLocaleString('en')} of ${progress.count.toLocaleString('en')} handed over`}
      </Text>
    </>
  );
}

/** Gives the open tasks of a member to another one. */
export const openHandOver = (from: Giver): void =>
  openDialog({
    title: `Hand over the open tasks of ${from.name}?`,
    text: `Choose the member who takes over these tasks. Closed tasks stay with ${from.name}.`,
    initial: newValues(),
    fields: (form) => <ReceiverField form={form} from={from} label="Hand over to" />,
    button: 'Hand over',
    submit: async ({ to }, form) => {
      if (to === undefined) throw new Error('Choose a member first.');
      await handOver(from, to, { onProgress: (progress) => form.set('progress', progress) });
    },
  });

/** Ends a membership. The open tasks of the member can go to another one before. */
export const openEnding = (member: Giver): void =>
  openDialog({
    title: 'End this membership?',
    text: `${member.name} loses access to this company at once. The history keeps everything that ${member.name} did. You can invite the person again.`,
    initial: newValues(),
    fields: (form) => <HeirField form={form} member={member} />,
    button: 'End membership',
    color: 'red.9',
    submit: async ({ to }, form) => {
      // An ended member gets no tasks back.
      if (to !== undefined)
        await handOver(member, to, { onProgress: (progress) => form.set('progress', progress), isUndoable: false });
      await client.management.member.end.mutate({ uniqueId: member.uniqueId });
      await Promise.all([
        queryClient.invalidateQueries(trpc.management.member.pathFilter()),
        queryClient.invalidateQueries(trpc.member.pathFilter()),
      ]);
    },
  });

/** The field for the receiver, if there is a task to hand over. */
function HeirField({ form, member }: { form: ServerForm<HandOverValues>; member: Giver }) {
  const count = useOpenTaskCount(member.uniqueId).data?.total ?? 0;
  return (
    count > 0 && (
      <ReceiverField
        form={form}
        from={member}
        label={`Hand over ${openTasksText(count)} to`}
        placeholder={`Nobody (they stay with ${member.name})`}
      />
    )
  );
}

/** Forgets a former member permanently. The person who confirms repeats the name. @param leave leaves the page of the member */
export const openForgetting = (
  { uniqueId, name, email }: Giver & { email: string },
  leave?: () => Promise<void>,
): void =>
  openDialog({
    title: `Forget ${name}?`,
    text: `This deletes the name, the email ${email}, the sign-ins and the invitations. Everywhere else, the name becomes “Former member”. This cannot be undone. If you invite the same email again, a new member is created.`,
    initial: { name: '' },
    fields: (form) => (
      <>
        <Text size="sm">
          Tasks, comments and events are kept, with an id in place of the name. Names that people wrote in texts are
          kept too. Copies, for example in waiting emails and in backups made before upgrades, are deleted within 30
          days.
        </Text>
        <TextInput
          label="Name"
          description={`Enter ${name} to confirm`}
          autoComplete="off"
          data-autofocus
          {...form.text('name')}
        />
      </>
    ),
    button: 'Forget',
    color: 'red.9',
    submit: async (values) => {
      if (values.name.trim() !== name.trim()) throw new InputError(`name: enter ${name}`);
      await client.management.member.forget.mutate({ uniqueId });
      queryClient.setQueryData(trpc.management.member.list.queryKey(), (members) =>
        members?.filter((one) => one.uniqueId !== uniqueId),
      );
      await leave?.();
      // Any page may have shown the name.
      queryClient.removeQueries({ type: 'inactive' });
      await queryClient.invalidateQueries();
    },
  });
