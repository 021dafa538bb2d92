import { Button } from '@mantine/core';
import { MemberSelect, NOBODY } from '../../components/person/member-select.tsx';
import { maySee, useMembers } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import type { Field } from '../../components/record/edits/use-record.ts';
import { FieldFrame, inputProps } from '../../components/record/fields/field-frame.tsx';
import type { Task } from '../../components/task/choices.ts';

interface AssigneeFieldProps {
  framework: number;
  field: Field<Task['assignee']>;
}

/** The assignee of a task, which is saved at once. */
export function AssigneeField({ framework, field }: AssigneeFieldProps) {
  const { me } = useMembers();
  const { value, choose } = field;
  const assign = ({ uniqueId, name }: Member) => choose({ uniqueId, name, kind: 'human' });
  return (
    <FieldFrame field={field}>
      <MemberSelect
        {...inputProps(field)}
        label="Assignee"
        framework={framework}
        current={value}
        value={value?.uniqueId ?? NOBODY}
        onChange={(chosen, member) => {
          if (member !== undefined) assign(member);
          else if (chosen === NOBODY) choose(null);
        }}
      />
      {me !== undefined && maySee(me, framework) && me.uniqueId !== value?.uniqueId && (
        <Button variant="light" size="compact-sm" mt={4} onClick={() => assign(me)}>
          Assign to me
        </Button>
      )}
    </FieldFrame>
  );
}
