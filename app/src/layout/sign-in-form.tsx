import { Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { hasPasskeys, isCancelled, signInWithPasskey } from '../api/passkey.ts';
import { signIn, singleSignOnUrl } from '../api/session.ts';
import { useCodeField } from '../components/form/sign-in-fields.tsx';
import { Form } from '../components/form/form.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';

interface SignInFormProps {
  /** Path of the application to which single sign-on returns. */
  returnPath: string;
  /** Email of a person whose session ended. */
  email?: string;
  onSignedIn: () => Promise<void>;
}

/** Sign-in with a password and a second factor, a passkey, or single sign-on. */
export function SignInForm({ returnPath, email = '', onSignedIn }: SignInFormProps) {
  const form = useServerForm({ email, password: '', code: '' });
  const { codeField, isFirstRequest, sendWithCode } = useCodeField(form);

  const withPassword = () =>
    form.submit(async ({ email: address, password }) => {
      await sendWithCode((code) => signIn({ email: address, password, ...code }));
      await onSignedIn();
    });
  const withPasskey = () =>
    form.submit(async () => {
      try {
        await signInWithPasskey();
      } catch (error) {
        if (isCancelled(error)) return;
        throw error;
      }
      await onSignedIn();
    });

  return (
    <Stack gap="md">
      <Form form={form} onSubmit={withPassword} isQuiet={isFirstRequest}>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus={email === ''}
          {...form.text('email')}
        />
        <TextInput
          type="password"
          label="Password"
          autoComplete="current-password"
          autoFocus={email !== ''}
          data-autofocus={email !== '' || undefined}
          {...form.text('password')}
        />
        {codeField}
        <Button type="submit" size="sm" loading={form.isPending}>
          Sign in
        </Button>
        <Text size="sm">
          {/* Over a page whose session ended, what was typed must stay. */}
          <Link to="/forgot" target={email === '' ? '_self' : '_blank'}>
            Forgot your password?
          </Link>
        </Text>
      </Form>
      <Divider label="or" />
      {hasPasskeys() && (
        <Button size="sm" variant="default" onClick={() => void withPasskey()}>
          Use a passkey
        </Button>
      )}
      <Button
        size="sm"
        variant="default"
        disabled={!form.values.email.includes('@')}
        onClick={() => window.location.assign(singleSignOnUrl(form.values.email, returnPath))}
      >
        Use single sign-on
      </Button>
      <Text size="xs" c="dimmed">
        Single sign-on finds your company by the domain of your email.
      </Text>
    </Stack>
  );
}
