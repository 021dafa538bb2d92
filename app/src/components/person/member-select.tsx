import { Menu, Select } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import type { SyntheticEvent } from 'react';
import { textIn } from '../table/filters.tsx';
import type { Filter } from '../table/filters.tsx';
import { Initials, Person } from './person.tsx';
import { maySee, nameIn, useMembers } from './use-members.ts';
import type { Member } from './use-members.ts';

/** Value of the member who is signed in. */
const ME = 'me';
/** Value of nobody, as in the filter `assignee` of the API. */
export const NOBODY = 'none';

type Actor = Pick<Member, 'uniqueId' | 'name'>;

interface MemberSelectProps extends Pick<
  SelectProps,
  | 'label'
  | 'aria-label'
  | 'name'
  | 'placeholder'
  | 'size'
  | 'w'
  | 'clearable'
  | 'error'
  | 'errorProps'
  | 'comboboxProps'
> {
  /** `ME`, `NOBODY` or the uniqueId of a member; null for no choice. */
  value: string | null;
  /** Receives the choice, and its member if it is one. */
  onChange: (value: string | null, member: Member | undefined) => void;
  /** Framework that the members may see; missing for all members. */
  framework?: number | undefined;
  /** Member who is not offered. */
  except?: string;
  /** True for a member who can be chosen; by default everybody. */
  mayBe?: ((member: Member) => boolean) | undefined;
  /** Offers nobody: by default. */
  withNobody?: boolean;
  /** Offers members who have ended too, for a filter. */
  withEnded?: boolean;
  /** Person of the value, who is offered in any case. */
  current?: Actor | null;
}

/** A choice among "Me", "Nobody" and the members by name. A person types to find one. */
export function MemberSelect(props: MemberSelectProps) {
  const {
    value,
    onChange,
    framework,
    except,
    mayBe = () => true,
    withNobody = true,
    withEnded = false,
    current = null,
    ...rest
  } = props;
  const { members, me } = useMembers();
  const isOffered = (member: Member) => maySee(member, framework) && member.uniqueId !== except && mayBe(member);
  const offered = members.filter((member) => isOffered(member) || (withEnded && member.ended));
  const isOther = current !== null && offered.every(({ uniqueId }) => uniqueId !== current.uniqueId);
  const data = [
    ...(me !== undefined && isOffered(me) ? [{ value: ME, label: 'Me' }] : []),
    ...(withNobody ? [{ value: NOBODY, label: 'Nobody' }] : []),
    ...labelled(offered),
    ...(isOther ? [{ value: current.uniqueId, label: current.name }] : []),
  ];
  const memberOf = (chosen: string | null) =>
    chosen === ME ? me : members.find(({ uniqueId }) => uniqueId === chosen);
  const nameOf = (chosen: string | null) =>
    memberOf(chosen)?.name ?? (chosen === current?.uniqueId ? current?.name : undefined);
  const name = nameOf(value);
  return (
    <Select
      {...rest}
      data={data}
      value={value}
      onChange={(chosen) => onChange(chosen, memberOf(chosen))}
      allowDeselect={false}
      searchable
      // The typed text replaces the name.
      onFocus={selectText}
      onClick={selectText}
      nothingFoundMessage="No member has this name."
      leftSection={name !== undefined && <Initials name={name} />}
      leftSectionPointerEvents="none"
      renderOption={({ option: { value: one, label } }) => {
        const ofOption = nameOf(one);
        return ofOption === undefined ? label : <Person name={ofOption} label={label} />;
      }}
    />
  );
}

const selectText = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => currentTarget.select();

/** Options of members. Those with the same name have their email, those who have ended say so. */
const labelled = (members: readonly Member[]) =>
  members.map((member) => ({
    value: member.uniqueId,
    label: `${nameIn(members, member)}${member.ended ? ' (ended)' : ''}`,
  }));

/**
 * A filter by member. "me" in the URL is the person who reads, so that a link means each reader.
 * @param own uniqueId of that person
 */
export function memberFilter(
  name: string,
  placeholder: string,
  { members, own, withNobody = true }: { members: readonly Member[]; own: string; withNobody?: boolean },
): Filter<string> {
  const textOf = textIn([{ value: ME, label: 'Me' }, { value: NOBODY, label: 'Nobody' }, ...labelled(members)]);
  return {
    name,
    read: (text) =>
      text
        .split(',')
        .map((one) => (one === ME ? own : one))
        .join(),
    textOf,
    input: ({ value, onChange, frame }) => (
      <MemberSelect
        {...frame}
        placeholder={placeholder}
        clearable
        withEnded
        withNobody={withNobody}
        value={value ?? null}
        current={value?.includes(',') === true ? { uniqueId: value, name: textOf(value) } : null}
        onChange={(one) => onChange(one ?? undefined)}
      />
    ),
  };
}

interface MemberItemsProps {
  members: readonly Member[];
  /** @param uniqueId null for nobody */
  onChoose: (uniqueId: string | null) => void;
}

/** Items of a menu that chooses a member. Letters that a person types find one. */
export function MemberItems({ members, onChoose }: MemberItemsProps) {
  const { me } = useMembers();
  const own = members.find(({ uniqueId }) => uniqueId === me?.uniqueId);
  return (
    <>
      {own !== undefined && <Menu.Item onClick={() => onChoose(own.uniqueId)}>Me</Menu.Item>}
      <Menu.Item onClick={() => onChoose(null)}>Nobody</Menu.Item>
      {members.map((member) => (
        <Menu.Item key={member.uniqueId} onClick={() => onChoose(member.uniqueId)}>
          <Person name={member.name} label={nameIn(members, member)} />
        </Menu.Item>
      ))}
    </>
  );
}
