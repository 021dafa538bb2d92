import { ColorSwatch, Group } from '@mantine/core';

/** Colours by status of a task, a requirement, a gap, a vendor, a key, an import, a webhook or a sign-in. Other statuses are grey. */
const COLOURS: Readonly<Record<string, string>> = {
  todo: '#868e96',
  in_progress: '#4c6ef5',
  in_review: '#e67700',
  done: '#2b8a3e',
  met: '#2b8a3e',
  partly_met: '#e67700',
  not_met: '#e03131',
  open: '#e67700',
  approved: '#2b8a3e',
  accepted: '#2b8a3e',
  resolved: '#2b8a3e',
  conditional: '#e67700',
  rejected: '#e03131',
  active: '#2b8a3e',
  inactive: '#e67700',
  enabled: '#2b8a3e',
  succeeded: '#2b8a3e',
  signed_in: '#2b8a3e',
  running: '#4c6ef5',
  waiting: '#4c6ef5',
  retrying: '#e67700',
  delivered: '#2b8a3e',
  failed: '#e03131',
  revoked: '#e03131',
  leaked: '#e03131',
  expired: '#e03131',
  expires: '#e67700',
};
const GREY = '#868e96';

/** A status as people read it: "In progress". */
export const statusText = (status: string): string => {
  const words = status.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Options of a select. */
export const statusOptions = <Status extends string>(statuses: readonly Status[]) =>
  statuses.map((value) => ({ value, label: statusText(value) }));

/** The dot of a status, for a place that has the word. */
export const StatusSwatch = ({ status }: { status: string }) => (
  <ColorSwatch color={COLOURS[status] ?? GREY} size={8} withShadow={false} component="span" aria-hidden />
);

/** A coloured dot with the word of the status. */
export function StatusDot({ status, label = statusText(status) }: { status: string; label?: string }) {
  return (
    <Group gap={8} wrap="nowrap" display="inline-flex">
      <StatusSwatch status={status} />
      {label}
    </Group>
  );
}
