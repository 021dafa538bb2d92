import { Alert, Group, Text } from '@mantine/core';
import { CopyButton } from '../../../components/copy-button.tsx';
import { formatOf } from '../file/chosen-file.ts';
import type { Target } from '../target.tsx';

interface LargeFileProps {
  fileName: string;
  kind: Target['kind'];
  framework: string | null;
}

/** The way to import a file that is too large for the browser: a request with an API key. */
export function LargeFile({ fileName, kind, framework }: LargeFileProps) {
  const path =
    kind === 'vendor'
      ? '/external/smart-inventory/vendor/import'
      : `/external/task/framework/${framework ?? '{framework}'}/import`;
  const type = formatOf(fileName) === 'ndjson' ? 'application/x-ndjson' : 'text/csv';
  const command = `curl -X POST '${window.location.origin}${path}' -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: ${type}' --data-binary '@${fileName.replaceAll("'", `'\\''`)}'`;
  return (
    <Alert color="red" variant="outline" role="alert" title="The file is too large for this page">
      <Text size="sm">
        Pages send up to 8 MiB. Split the file, or send up to 64 MiB with an API key that may write {kind}s:
      </Text>
      <Group gap="xs" wrap="nowrap" align="flex-start" className="secret" mt="xs">
        <code className="mono">{command}</code>
        <CopyButton value={command} label="Copy command" />
      </Group>
    </Alert>
  );
}
