import { Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { useCopy } from '../../components/use-copy.ts';
import './second-factor.css';

/** Shows the recovery codes once. Only its button closes it. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  const { copied, copy } = useCopy();
  const text = (codes ?? []).join('\n');
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onClose}
      title="Recovery codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">
          The second factor is on. If you lose the app, each of these codes signs you in once. Keep them in a safe
          place: they are shown only this once.
        </Text>
        <SimpleGrid cols={2} spacing="xs" className="secret recovery-codes" component="ul">
          {codes?.map((code) => (
            <li key={code} className="mono">
              {code}
            </li>
          ))}
        </SimpleGrid>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => copy(text)}>
            {copied ? 'Copied' : 'Copy codes'}
          </Button>
          <Button
            variant="default"
            component="a"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
            download="recovery-codes.txt"
          >
            Download
          </Button>
          <Button data-autofocus onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
