import { Kbd, Modal, Table } from '@mantine/core';

const SHORTCUTS = [
  ['Ctrl K', 'Find pages, tasks, vendors and actions'],
  ['/', 'Search this list'],
  ['c', 'Create'],
  ['j', 'Next row or, on the page of a record, the next record of the list'],
  ['k', 'Previous row or previous record of the list'],
  ['Enter', 'Open the row'],
  ['← →', 'Fold and unfold a row of an outline'],
  ['e', 'Mark the row of the inbox as read'],
  ['Ctrl P', 'Print the whole page'],
  ['Ctrl Z', 'Undo, while the message is shown'],
  ['Esc', 'Close a dialog'],
  ['?', 'Show these shortcuts'],
] as const;

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Table aria-label="Keyboard shortcuts" withRowBorders={false}>
        <Table.Tbody>
          {SHORTCUTS.map(([key, purpose]) => (
            <Table.Tr key={key}>
              <Table.Td w={100}>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{purpose}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
