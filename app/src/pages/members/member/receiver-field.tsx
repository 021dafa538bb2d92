import { Text } from '@mantine/core';
import { useState } from 'react';
import { MemberSelect } from '../../../components/person/member-select.tsx';
import { maySee } from '../../../components/person/use-members.ts';
import type { Member } from '../../../components/person/use-members.ts';
import type { Giver, Progress } from './hand-over.ts';
import { openTasksText, useOpenTasksByFramework } from './open-tasks.ts';

interface ReceiverFieldProps {
  from: Giver;
  label: string;
  placeholder?: string;
  onChange: (to: Member | undefined) => void;
  /** Progress of the hand-over; undefined before it. */
  progress: Progress | undefined;
}

/** The member who gets the open tasks of another, and the tasks that this one may not see. */
export function ReceiverField({ from, label, placeholder = '', onChange, progress }: ReceiverFieldProps) {
  const [choice, setChoice] = useState<{ value: string | null; to: Member | undefined }>();
  const { rows = [] } = useOpenTasksByFramework(from.uniqueId);
  const to = choice?.to;
  const kept = to === undefined ? [] : rows.filter(({ framework }) => !maySee(to, framework.id));
  return (
    <>
      <MemberSelect
        label={label}
        placeholder={placeholder}
        except={from.uniqueId}
        withNobody={false}
        clearable
        value={choice?.value ?? null}
        onChange={(value, member) => {
          setChoice({ value, to: member });
          onChange(member);
        }}
      />
      {to !== undefined &&
        kept.map(({ framework, total }) => (
          <Text key={framework.id} size="sm">
            {to.name} may not see {framework.name}: {openTasksText(total)} {total === 1 ? 'stays' : 'stay'} with{' '}
            {from.name}.
          </Text>
        ))}
      <Text size="sm" role="status">
        {progress !== undefined &&
          `${progress.done.toLocaleString('en')} of ${progress.count.toLocaleString('en')} handed over`}
      </Text>
    </>
  );
}
