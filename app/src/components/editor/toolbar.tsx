import { ActionIcon, Button, Group, Modal, NativeSelect, Stack, TextInput, Tooltip } from '@mantine/core';
import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import IconArrowForwardUp from '@tabler/icons-react/dist/esm/icons/IconArrowForwardUp.mjs';
import IconBlockquote from '@tabler/icons-react/dist/esm/icons/IconBlockquote.mjs';
import IconBold from '@tabler/icons-react/dist/esm/icons/IconBold.mjs';
import IconCode from '@tabler/icons-react/dist/esm/icons/IconCode.mjs';
import IconItalic from '@tabler/icons-react/dist/esm/icons/IconItalic.mjs';
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import IconList from '@tabler/icons-react/dist/esm/icons/IconList.mjs';
import IconListNumbers from '@tabler/icons-react/dist/esm/icons/IconListNumbers.mjs';
import IconRowInsertBottom from '@tabler/icons-react/dist/esm/icons/IconRowInsertBottom.mjs';
import IconRowRemove from '@tabler/icons-react/dist/esm/icons/IconRowRemove.mjs';
import IconStrikethrough from '@tabler/icons-react/dist/esm/icons/IconStrikethrough.mjs';
import IconTable from '@tabler/icons-react/dist/esm/icons/IconTable.mjs';
import IconTableOff from '@tabler/icons-react/dist/esm/icons/IconTableOff.mjs';
import IconUnderline from '@tabler/icons-react/dist/esm/icons/IconUnderline.mjs';
import { redo, undo } from '@tiptap/pm/history';
import type { Command, EditorState } from '@tiptap/pm/state';
import { useEditorState } from '@tiptap/react';
import type { Editor } from '@tiptap/react';
import { useState } from 'react';
import type { ComponentType } from 'react';
import { addRow, ancestor, insertTable, removeBlock, setTextTag, textTag, toggleList, toggleQuote } from './blocks.ts';
import { FORMATS, hasFormat, linkAddress, setLink, toggleFormat } from './formatting.ts';
import { runCommand } from './keys.ts';
import { textOf } from './write-document.ts';

interface LinkDialogProps {
  /** Present address; empty for a new link. */
  address: string;
  onClose: () => void;
  /** Takes the new address; an empty one removes the link. */
  onChange: (address: string) => void;
}

const ADDRESS = /^(?:https?:\/\/|mailto:|tel:)\S+$/i;
const HOST = /^[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/;

/** A dialog for the address of a link. */
function LinkDialog({ address, onClose, onChange }: LinkDialogProps) {
  const [text, setText] = useState(address);
  const [error, setError] = useState<string>();
  const change = (next: string) => {
    onClose();
    onChange(next);
  };
  const submit = () => {
    const entered = text.trim();
    if (HOST.test(entered)) change(`https://${entered}`);
    else if (ADDRESS.test(entered) || entered === address) change(entered);
    else setError('Enter an address that starts with https://, mailto: or tel:.');
  };
  return (
    <Modal opened onClose={onClose} title="Link" returnFocus={false}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // The form of a page around the editor is not submitted.
          event.stopPropagation();
          submit();
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Address"
            data-autofocus
            placeholder="https://"
            value={text}
            error={error}
            errorProps={{ role: 'alert' }}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            {address !== '' && (
              <Button variant="default" onClick={() => change('')}>
                Remove link
              </Button>
            )}
            <Button type="submit">Set link</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

type Icon = ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;

interface Tool {
  label: string;
  icon: Icon;
  command: Command;
  /** True if the selection has it; missing for a tool that is not switched on and off. */
  isActive?: (state: EditorState) => boolean;
}

const format = (label: keyof typeof FORMATS, icon: Icon): Tool => ({
  label,
  icon,
  command: toggleFormat(FORMATS[label]),
  isActive: (state) => hasFormat(state, FORMATS[label]),
});

const list = (label: string, icon: Icon, tag: string): Tool => ({
  label,
  icon,
  command: toggleList(tag),
  isActive: (state) => {
    const found = ancestor(state, 'list');
    return found !== undefined && textOf(found.node, 'tag') === tag;
  },
});

const TOOLS: readonly Tool[] = [
  format('Bold', IconBold),
  format('Italic', IconItalic),
  format('Underline', IconUnderline),
  format('Strikethrough', IconStrikethrough),
  format('Code', IconCode),
  list('Bulleted list', IconList, 'ul'),
  list('Numbered list', IconListNumbers, 'ol'),
  {
    label: 'Quote',
    icon: IconBlockquote,
    command: toggleQuote,
    isActive: (state) => ancestor(state, 'container', 'blockquote') !== undefined,
  },
];
const TABLE: Tool = { label: 'Insert table', icon: IconTable, command: insertTable };
const TABLE_TOOLS: readonly Tool[] = [
  { label: 'Add row', icon: IconRowInsertBottom, command: addRow },
  { label: 'Remove row', icon: IconRowRemove, command: removeBlock('row') },
  { label: 'Remove table', icon: IconTableOff, command: removeBlock('table') },
];
const HISTORY: readonly Tool[] = [
  { label: 'Undo', icon: IconArrowBackUp, command: undo },
  { label: 'Redo', icon: IconArrowForwardUp, command: redo },
];

const TEXT_TAGS = {
  p: 'Text',
  h1: 'Heading 1',
  h2: 'Heading 2',
  h3: 'Heading 3',
  h4: 'Heading 4',
  pre: 'Preformatted',
};
const textOptions = Object.entries(TEXT_TAGS).map(([value, label]) => ({ value, label }));

/** Buttons that format the text of an editor. They are there while the text or one of them has the focus. */
export function Toolbar({ editor }: { editor: Editor }) {
  const [link, setLinkText] = useState<string>();
  const { pressed, tag, isInTable } = useEditorState({
    editor,
    selector: ({ editor: { state } }) => ({
      pressed: TOOLS.filter(({ isActive }) => isActive?.(state)).map(({ label }) => label),
      tag: textTag(state),
      isInTable: ancestor(state, 'table') !== undefined,
    }),
  });
  const run = (command: Command) => {
    editor.view.focus();
    runCommand(editor, command);
  };
  const buttons = (tools: readonly Tool[]) =>
    tools.map(({ label, icon, command, isActive }) => (
      <ToolButton
        key={label}
        label={label}
        icon={icon}
        pressed={isActive && pressed.includes(label)}
        onClick={() => run(command)}
      />
    ));
  return (
    <div className="editor-toolbar" role="group" aria-label="Formatting">
      <NativeSelect
        aria-label="Text style"
        size="xs"
        data={tag in TEXT_TAGS ? textOptions : [...textOptions, tag]}
        value={tag}
        onChange={({ currentTarget }) => run(setTextTag(currentTarget.value))}
      />
      {buttons(TOOLS)}
      <ToolButton label="Link" icon={IconLink} onClick={() => setLinkText(linkAddress(editor.state) ?? '')} />
      {buttons([TABLE, ...(isInTable ? TABLE_TOOLS : []), ...HISTORY])}
      {link !== undefined && (
        <LinkDialog
          address={link}
          onClose={() => {
            setLinkText(undefined);
            editor.view.focus();
          }}
          onChange={(address) => run(setLink(address))}
        />
      )}
    </div>
  );
}

interface ToolButtonProps {
  label: string;
  icon: Icon;
  pressed?: boolean | undefined;
  onClick: () => void;
}

const ToolButton = ({ label, icon: ToolIcon, pressed, onClick }: ToolButtonProps) => (
  <Tooltip label={label}>
    <ActionIcon
      variant={pressed === true ? 'light' : 'subtle'}
      color={pressed === true ? 'indigo' : 'gray'}
      size="md"
      aria-label={label}
      aria-pressed={pressed}
      // The editor keeps its selection.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      <ToolIcon size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);
