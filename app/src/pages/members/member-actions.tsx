import { ActionIcon, Menu, NativeSelect, Text, TextInput } from '@mantine/core';
import type { TextInputProps } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { client, queryClient, trpc } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { askToConfirm, openDialog, showSecret } from '../../components/form/dialog.tsx';
import { FrameworksField, fromFrameworks, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import { CalendarDate, Time } from '../../components/time.tsx';
import { say } from '../../components/undo/undo.ts';
import { timeText } from '../../dates.ts';
import { openEnding, openForgetting } from './member/leaving.tsx';
import { ROLE_OPTIONS, toRole } from './roles.ts';
import type { Member } from './roles.ts';

interface GivenLink {
  /** Null if it went out by mail; nobody else sees it then. */
  link: string | null;
  expiresAt: string;
}

/** Says that a link went out by mail, or shows it once, for the admin to send. @param receiver email or name of the person */
export function giveLink({ link, expiresAt }: GivenLink, title: string, email: string, receiver = email): void {
  if (link === null) say(`An email with the link was sent to ${email}. The link works until ${timeText(expiresAt)}.`);
  else
    showSecret({
      title,
      label: 'link',
      secret: link,
      text: (
        <Text size="sm">
          Send it to {receiver}. It works once, until <Time value={expiresAt} />.
        </Text>
      ),
    });
}

const reload = () => queryClient.invalidateQueries(trpc.management.member.pathFilter());

const reloadAll = () =>
  Promise.all([
    reload(),
    queryClient.invalidateQueries(trpc.member.pathFilter()),
    queryClient.invalidateQueries(sessionQuery),
  ]);

/** Changes the address with which a member signs in. With mail, the member confirms it. */
const openEmail = ({ uniqueId, name, email: former, endedAt }: Member) =>
  openDialog({
    title: `Change the email of ${name}`,
    text:
      endedAt === null
        ? `${name} signs in with this email in every company. If this service sends email, a link is sent to the new address, and the email changes when ${name} opens it.`
        : `The current email can then be used for another person.`,
    initial: { email: '' },
    fields: (form) => (
      <TextInput
        label="Email"
        type="email"
        description={`Currently ${former}`}
        autoComplete="off"
        data-autofocus
        {...form.text('email')}
      />
    ),
    button: 'Change email',
    submit: async ({ email }) => {
      const updated = await client.management.member.update.mutate({ uniqueId, email });
      say(
        updated.email === former
          ? `A link was sent to ${email}. The email changes when ${name} opens it.`
          : `The email of ${name} is now ${updated.email}.`,
      );
      await reloadAll();
    },
  });

/** Changes the role, the frameworks and the last day of a member. */
const openEditing = ({ uniqueId, name, role, frameworks, endsAt }: Member) =>
  openDialog<{ role: string; frameworks: string[]; endsAt: string }>({
    title: `Edit ${name}`,
    initial: { role, frameworks: fromFrameworks(frameworks), endsAt: endsAt ?? '' },
    fields: (form) => (
      <>
        <RoleField {...form.field('role')} />
        <FrameworksField {...form.field('frameworks')} />
        <EndField {...form.text('endsAt')} />
      </>
    ),
    button: 'Save',
    submit: async (values) => {
      await client.management.member.update.mutate({
        uniqueId,
        role: toRole(values.role),
        frameworks: toFrameworks(values.frameworks),
        ...(values.endsAt !== (endsAt ?? '') && { endsAt: values.endsAt === '' ? null : values.endsAt }),
      });
      await reloadAll();
    },
  });

/** The menu of a member. A person who ended is invited again, gets another email so that this one can be used again, or is forgotten. */
export function MemberActions({ member }: { member: Member }) {
  const { uniqueId, name, email, singleSignOn, endedAt } = member;
  const isActive = endedAt === null;
  const askToReset = () =>
    askToConfirm({
      title: 'Reset the password?',
      text: `${name} gets a link to set a new password. The link works for one hour. The current password works until it is changed.`,
      button: 'Reset password',
      submit: async () =>
        giveLink(await client.management.member.resetPassword.mutate({ uniqueId }), 'Reset link created', email, name),
    });
  const askToUnlink = () =>
    askToConfirm({
      title: 'Remove the link?',
      text: `${name} is linked to an account of ${singleSignOn}. Removing the link ends the sessions from single sign-on. The next time an account with this email signs in, a new link is made.`,
      button: 'Remove link',
      submit: async () => {
        await client.management.member.unlink.mutate({ uniqueId });
        await reload();
      },
    });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isActive && <Menu.Item onClick={() => openEditing(member)}>Edit</Menu.Item>}
        <Menu.Item onClick={() => openEmail(member)}>Change email</Menu.Item>
        {isActive && <Menu.Item onClick={askToReset}>Reset password</Menu.Item>}
        {singleSignOn !== null && <Menu.Item onClick={askToUnlink}>Remove link</Menu.Item>}
        {isActive ? (
          <Menu.Item c="red" onClick={() => openEnding(member)}>
            End membership
          </Menu.Item>
        ) : (
          <Menu.Item c="red" onClick={() => openForgetting(member)}>
            Forget
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** `<EndField {...form.text('endsAt')} />` */
export const EndField = (props: TextInputProps) => (
  <TextInput
    type="date"
    label="Ends on"
    description="The last day of access, for a guest such as an external auditor. Leave empty if access does not end"
    {...props}
  />
);

/** "Access ends 31 Dec 2026"; nothing for a membership without an end. */
export const AccessEnd = ({ endsAt }: { endsAt: string | null }) =>
  endsAt !== null && (
    <div className="quiet">
      Access ends <CalendarDate value={endsAt} />
    </div>
  );

interface RoleFieldProps {
  name: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
}

/** `<RoleField {...form.field('role')} />` */
export function RoleField({ name, value, onChange, error }: RoleFieldProps) {
  return (
    <NativeSelect
      label="Role"
      description="Admins manage everything, editors change tasks and vendors, auditors read, ask questions and check evidence"
      name={name}
      data={ROLE_OPTIONS}
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
