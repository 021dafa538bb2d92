import { Button } from '@mantine/core';
import type { Outputs } from '../../../api/client.ts';
import { MemberSelect, NOBODY } from '../../person/member-select.tsx';
import { maySee, useMembers } from '../../person/use-members.ts';
import type { Member } from '../../person/use-members.ts';
import type { Field } from '../use-record.ts';
import { FieldFrame, inputProps } from './field-frame.tsx';

interface PersonFieldProps {
  label: string;
  /** Text of the button with which the reader takes it: "Assign to me". */
  toMe: string;
  field: Field<Outputs['task']['get']['assignee']>;
  /** Framework that the person must see; missing for a vendor. */
  framework?: number;
}

/** The member who looks after a record. The choice is saved at once. */
export function PersonField({ label, toMe, field, framework }: PersonFieldProps) {
  const { me } = useMembers();
  const { value, choose } = field;
  const give = ({ uniqueId, name }: Member) => choose({ uniqueId, name, kind: 'human' });
  return (
    <FieldFrame field={field}>
      <MemberSelect
        {...inputProps(field)}
        label={label}
        framework={framework}
        current={value}
        value={value?.uniqueId ?? NOBODY}
        onChange={(chosen, member) => {
          if (member !== undefined) give(member);
          else if (chosen === NOBODY) choose(null);
        }}
      />
      {me !== undefined && maySee(me, framework) && me.uniqueId !== value?.uniqueId && (
        <Button variant="light" size="compact-sm" mt={4} onClick={() => give(me)}>
          {toMe}
        </Button>
      )}
    </FieldFrame>
  );
}
