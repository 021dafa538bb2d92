import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SecretDialog } from '../../components/form/secret-dialog.tsx';
import './webhook-secret-dialog.css';

interface WebhookSecretDialogProps {
  title: string;
  /** The secret; undefined while the dialog is closed. */
  secret: string | undefined;
  onClose: () => void;
  /** Further facts, for example the end of the old secret. */
  children?: ReactNode;
}

/** Shows the secret of an endpoint once, and how a program verifies requests with it. */
export function WebhookSecretDialog({ title, secret, onClose, children }: WebhookSecretDialogProps) {
  return (
    <SecretDialog title={title} label="secret" secret={secret} onClose={onClose}>
      {children}
      <Text size="sm">
        The secret signs every request. Your program must verify the signature before it uses the body, for example with
        the TypeScript client:
      </Text>
      <Code block className="verify-code">
        {'const event = await verifyWebhook(body, request.headers, secret);'}
      </Code>
      <Text size="sm">
        Other languages use a library of{' '}
        <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
          Standard Webhooks
        </a>
        . The guide is <Code>docs/webhooks.md</Code>; the{' '}
        <a href="/docs" target="_blank">
          API reference
        </a>{' '}
        has the body of each event.
      </Text>
    </SecretDialog>
  );
}
