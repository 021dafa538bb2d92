import type { EventGroup } from '../../components/record/events/groups.ts';
import type { AuditEvent } from '../../components/record/events/words.ts';

/** A row of the audit log: an event, or a group of several, whose events follow it while it is unfolded. */
export interface Row {
  key: string;
  group: EventGroup<AuditEvent>;
  /** Undefined for the row of the group. */
  event: AuditEvent | undefined;
  /** True for an event below the row of its group. */
  isMember: boolean;
}

const eventRow = (group: Row['group'], event: AuditEvent, isMember: boolean): Row => ({
  key: event.uniqueId,
  group,
  event,
  isMember,
});

/** @param isExpanded true for the key of a line that is unfolded */
export const rowsOf = (groups: readonly EventGroup<AuditEvent>[], isExpanded: (key: string) => boolean): Row[] =>
  groups.flatMap((group) => {
    if (group.events.length === 1) return [eventRow(group, group.newest, false)];
    const members = isExpanded(group.key) ? group.events.map((event) => eventRow(group, event, true)) : [];
    return [{ key: group.key, group, event: undefined, isMember: false }, ...members];
  });
