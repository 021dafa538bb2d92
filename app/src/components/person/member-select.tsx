import { Select } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import { Initials, Person } from './person.tsx';
import { maySee, useMembers } from './use-members.ts';
import type { Member } from './use-members.ts';

/** Value of the member who is signed in. */
export const ME = 'me';
/** Value of nobody, as in the filter `assignee` of the API. */
export const NOBODY = 'none';

type Actor = Pick<Member, 'uniqueId' | 'name'>;

interface MemberSelectProps extends Pick<
  SelectProps,
  'label' | 'aria-label' | 'name' | 'placeholder' | 'size' | 'w' | 'clearable' | 'error' | 'errorProps'
> {
  /** `ME`, `NOBODY` or the uniqueId of a member; null for no choice. */
  value: string | null;
  onChange: (value: string | null) => void;
  /** Framework that the members may see; missing for all members. */
  framework?: number | undefined;
  /** Offers members who have ended too, for a filter. */
  withEnded?: boolean;
  /** Person of the value, who is offered in any case. */
  current?: Actor | null;
}

/** A choice among "Me", "Nobody" and the members by name. A person types to find one. */
export function MemberSelect(props: MemberSelectProps) {
  const { value, onChange, framework, withEnded = false, current = null, clearable = false, ...rest } = props;
  const { members, me } = useMembers();
  const offered = members.filter((member) => maySee(member, framework) || (withEnded && member.ended));
  const isOffered = current === null || offered.some(({ uniqueId }) => uniqueId === current.uniqueId);
  const people = [...labelled(offered), ...(isOffered ? [] : [{ value: current.uniqueId, label: current.name }])];
  const data = [
    ...(me !== undefined && maySee(me, framework) ? [{ value: ME, label: 'Me' }] : []),
    { value: NOBODY, label: 'Nobody' },
    ...people,
  ];
  const nameOf = (chosen: string | null) =>
    chosen === ME
      ? me?.name
      : [...members, ...(current === null ? [] : [current])].find(({ uniqueId }) => uniqueId === chosen)?.name;
  const name = nameOf(value);
  return (
    <Select
      {...rest}
      data={data}
      value={value}
      onChange={onChange}
      clearable={clearable}
      allowDeselect={false}
      searchable
      nothingFoundMessage="No member has this name."
      leftSection={name !== undefined && <Initials name={name} />}
      leftSectionPointerEvents="none"
      renderOption={({ option: { value: one, label } }) =>
        nameOf(one) === undefined ? label : <Person name={label} />
      }
    />
  );
}

/** Options of members. Those with the same name have their email, those who have ended say so. */
function labelled(members: readonly Member[]) {
  const names = members.map(({ name }) => name);
  return members.map(({ uniqueId, name, email, ended }) => {
    const isShared = names.indexOf(name) !== names.lastIndexOf(name);
    return { value: uniqueId, label: `${name}${isShared ? ` (${email})` : ''}${ended ? ' (ended)' : ''}` };
  });
}
