import { taskResource } from './task.ts';
import { defineStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { insertIfUsable } from './statements.ts';
import type { InsertResult, NewTask } from './statements.ts';
import { insertedReservation, listedEntry, lockedExternalId, movedReservation } from '../external-id/reservation.ts';
import type { ExternalIdKey } from '../external-id/reservation.ts';
import { externalIdStatements } from '../external-id/statements.ts';

type NewReservedTask = ExternalIdKey & NewTask;

/** Inserts a task if its references are usable and the CTE `reserved` has a row. */
const insertReserved = (placeholders: Placeholders<NewReservedTask>, reserved: (from: string) => string) =>
  insertIfUsable(placeholders, {
    ctes: (isUsable) => [lockedExternalId('task', placeholders), reserved(`given, locked where ${isUsable}`)],
    from: 'reserved',
    externalIds: listedEntry(placeholders),
  });

export const taskExternalIds = {
  ...externalIdStatements('task', taskResource, 'o.framework_id'),
  /** Reserves the external id and inserts the task if its references are usable. No uniqueId if the id is reserved already. */
  insert: defineStatement<NewReservedTask, InsertResult>('task.insert-with-external-id', (placeholders) =>
    insertReserved(placeholders, (from) =>
      insertedReservation('task', placeholders, `${placeholders.uniqueId}::uuid`, from),
    ),
  ),
  /** Moves the reservation of a deleted task to a new one. No uniqueId if another request was first. */
  recreate: defineStatement<NewReservedTask & { reservedId: string }, InsertResult>('task.recreate', (placeholders) =>
    insertReserved(placeholders, (from) => movedReservation('task', placeholders, from)),
  ),
};
