import { Button, Stack, Text } from '@mantine/core';
import { client } from '../../api/client.ts';
import { ExportStatus } from '../../components/table/export/export-status.tsx';
import { useExport } from '../../components/table/export/use-export.ts';
import type { Target } from './target.tsx';

/** Rows in one file, which the browser holds in memory. */
const MAX_EXPORTED = 100_000;

/** Saves all vendors, or the tasks of all frameworks or one of them, as a CSV file. */
export function ExportForm({ target: { kind, framework } }: { target: Target }) {
  const { start, ...exported } = useExport();
  const run = () =>
    void start({
      fileName: `${kind}s.csv`,
      type: 'text/csv;charset=utf-8',
      maxRows: MAX_EXPORTED,
      load: (cursor, signal) => {
        const position = cursor === undefined ? {} : { cursor };
        return kind === 'task'
          ? client.task.exportAllCsv.query({ ...(framework !== null && { framework }), ...position }, { signal })
          : client.vendor.exportCsv.query(position, { signal });
      },
    });
  const whatIsExported =
    kind === 'vendor' ? 'All vendors' : `All tasks of ${framework === null ? 'all frameworks' : 'the framework'}`;
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm" c="dimmed">
        {whatIsExported} as a CSV file. An import accepts the same columns.
      </Text>
      <Button variant="default" loading={exported.state?.status === 'running'} onClick={run}>
        Export
      </Button>
      <ExportStatus {...exported} unit={kind === 'vendor' ? ['vendor', 'vendors'] : ['task', 'tasks']} />
    </Stack>
  );
}
