import { Table } from '@mantine/core';
import type { Outputs } from '../../api/client.ts';

/** Days of the chart, the latest first. */
export function UsageTable({ days }: { days: Outputs['management']['apiKey']['usage'] }) {
  return (
    <Table aria-label="Usage by day">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day (UTC)</Table.Th>
          <Table.Th ta="end">Requests</Table.Th>
          <Table.Th ta="end">Errors</Table.Th>
          <Table.Th ta="end">Rate-limited</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {days.toReversed().map(({ day, requests, errors, rateLimited }) => (
          <Table.Tr key={day}>
            <Table.Td>{day}</Table.Td>
            <Table.Td ta="end">{requests.toLocaleString('en')}</Table.Td>
            <Table.Td ta="end">{errors.toLocaleString('en')}</Table.Td>
            <Table.Td ta="end">{rateLimited.toLocaleString('en')}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
