import { client, trpc } from '../../api/client.ts';
import { nameStore } from '../record/name-store.ts';

/** Titles of tasks. */
export const taskNames = nameStore({
  noun: 'task',
  key: trpc.task.get.pathKey(),
  read: async (taskUniqueId, options) => (await client.task.get.query({ taskUniqueId }, options)).title,
});
