import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { SafeHtml } from './safe-html.tsx';

/** A person who began to edit before the editor was there. */
export interface EditorStart {
  /** Text that was typed, with a line feed for each Enter. */
  text: string;
  /** False if the focus has left again. */
  isFocused: boolean;
  /** True if all text was selected. */
  hasAll: boolean;
  /** Place of the pointer in the window, in pixels. */
  point: { left: number; top: number } | undefined;
}

/** A person whom a text can mention. */
export interface Mentionable {
  uniqueId: string;
  name: string;
  email: string;
}

export interface MentionProps {
  people: readonly Mentionable[];
  /** Takes a person whose name was inserted. */
  onMention: (person: Mentionable) => void;
}

export interface RichTextProps {
  /** Accessible name. */
  label: string;
  /** Invitation that an empty text shows. */
  placeholder: string;
  /** Stored description. The editor takes a new one with a new `key`. */
  value: string;
  /** Receives the description after each edit by a person. */
  onChange: (value: string) => void;
  /** Saves what was typed by a person who has left the text before the editor was there. */
  onLeave: () => void;
  /** People whom `@` offers; missing in a text without mentions. */
  mention?: MentionProps | undefined;
  /** Returns where a person began to edit, once. */
  takeStart: () => EditorStart | undefined;
}

/** A description with a structure that the editor would change. It is shown, and can be edited as HTML. */
export function HtmlText({ label, value, onChange }: Pick<RichTextProps, 'label' | 'value' | 'onChange'>) {
  const [isEditing, setIsEditing] = useState(false);
  if (isEditing)
    return (
      <Textarea
        aria-label={label}
        description="You are editing this text as HTML, because the editor cannot show it without changing its structure."
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        defaultValue={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  return (
    <div className="editor-text">
      <SafeHtml html={value} />
      <Button variant="default" mt="xs" onClick={() => setIsEditing(true)}>
        Edit as HTML
      </Button>
    </div>
  );
}
