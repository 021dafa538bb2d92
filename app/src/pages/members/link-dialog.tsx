import { Text } from '@mantine/core';
import { timeText } from '../../dates.ts';
import { SecretDialog } from '../../components/form/secret-dialog.tsx';
import { Time } from '../../components/time.tsx';
import { say } from '../../components/undo/undo.ts';

/** A link that the server shows, because it cannot mail it. */
export interface ShownLink {
  link: string;
  expiresAt: string;
}

/** Says that a link went out by mail. Nobody else sees it. */
export const sayMailed = (email: string, expiresAt: string): void =>
  say(`A mail with the link was sent to ${email}. It works until ${timeText(expiresAt)}.`);

interface LinkDialogProps {
  /** "Invitation created" */
  title: string;
  /** Email or name of the person who gets the link. */
  receiver: string;
  /** Undefined while the dialog is closed. */
  shown: ShownLink | undefined;
  onClose: () => void;
}

/** Shows a link once, which the admin sends to the person. */
export const LinkDialog = ({ title, receiver, shown, onClose }: LinkDialogProps) => (
  <SecretDialog title={title} label="link" secret={shown?.link} onClose={onClose}>
    {shown !== undefined && (
      <Text size="sm">
        Send it to {receiver}. It works once, until <Time value={shown.expiresAt} />.
      </Text>
    )}
  </SecretDialog>
);
