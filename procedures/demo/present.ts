import { IMPORT_ROWS } from './content/import-file.ts';
import { FRAMEWORKS } from './content/frameworks.ts';
import type { Calendar } from './calendar.ts';
import type { World } from './world.ts';

/** Adds what exists only in the present: a webhook endpoint, and an import with mistakes. A job of the service runs the import. */
export async function addPresent(world: World, calendar: Calendar, domain: string): Promise<void> {
  const { demo } = world;
  const caller = demo.now(world.principal('mara'));
  // On PostgreSQL there may be no key for the secret of the endpoint.
  if (demo.services.encryption !== undefined)
    await caller.webhook.create({
      url: `https://hooks.${domain}/compliance`,
      description: 'Tells the portal of the vendors what has changed',
      events: ['vendor.*'],
    });
  const framework = world.frameworks.get(FRAMEWORKS.at(-1)?.name ?? '') ?? 0;
  await caller.task.import({ framework, format: 'csv', source: 'audit', content: importFile(calendar) });
}

const importFile = (calendar: Calendar): string =>
  [
    'externalId,title,priority,status,dueDate',
    ...IMPORT_ROWS.map(([id, title, priority, status, dueIn]) =>
      [id, title, priority, status, dueIn === null ? 'end of June' : calendar.date(dueIn)].join(','),
    ),
  ].join('\r\n');
