import { Menu } from '@mantine/core';
import { Person } from '../../components/person/person.tsx';
import { maySee, useMembers } from '../../components/person/use-members.ts';

interface AssignItemsProps {
  /** Frameworks of the tasks, which the members may see. */
  frameworks: ReadonlySet<number>;
  /** @param assigneeId uniqueId of a member; null for nobody */
  onAssign: (assigneeId: string | null) => void;
}

/** Items of a menu that gives tasks to a member. Letters that a person types find one. */
export function AssignItems({ frameworks, onAssign }: AssignItemsProps) {
  const { members, me } = useMembers();
  const offered = members.filter((member) => [...frameworks].every((framework) => maySee(member, framework)));
  return (
    <>
      {me !== undefined && offered.includes(me) && <Menu.Item onClick={() => onAssign(me.uniqueId)}>Me</Menu.Item>}
      <Menu.Item onClick={() => onAssign(null)}>Nobody</Menu.Item>
      {offered.map(({ uniqueId, name }) => (
        <Menu.Item key={uniqueId} onClick={() => onAssign(uniqueId)}>
          <Person name={name} />
        </Menu.Item>
      ))}
    </>
  );
}
