import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { saveFile } from '../../api/save-file.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Section } from '../../components/section/section.tsx';

/** Saves everything that is stored about the person as a file. */
export function MyData() {
  const download = useMutation({
    mutationFn: () => client.account.data.query(),
    onSuccess: (data) => saveFile('my-data.json', [`${JSON.stringify(data, null, 2)}\n`], 'application/json'),
  });
  return (
    <Section
      title="My data"
      text="Everything that is stored about you: profile, memberships, names that you had, sign-ins, settings, and numbers of what you made. If you signed in with single sign-on, only what belongs to that company."
      action={
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          Download my data
        </Button>
      }
    >
      {download.error !== null && <ErrorMessage title="Your data could not be loaded" error={download.error} />}
    </Section>
  );
}
