import type { Collected } from './collect.ts';
import type { Report } from './context.ts';
import { TABLE_END, markup, note, tableRow, tableStart } from './text/html.ts';
import type { Html } from './text/html.ts';
import { numberText, personText, sizeText } from './text/words.ts';

/** Tasks and vendors that were deleted in the period. */
export function* deletedTable({ contents, times }: Report, collections: readonly Collected[]): Generator<Html> {
  const rest = collections.reduce((sum, { deleted, deletedTotal }) => sum + deletedTotal - deleted.length, 0);
  if (rest > 0) yield note(`${numberText(rest)} more are only in events.ndjson.`);
  yield tableStart(['What', 'Name', 'Deleted', 'By'], 'plain');
  for (const { type, name, deletedAt, user, sequence } of collections.flatMap(({ deleted }) => deleted)) {
    const names = contents.people.at(sequence);
    yield tableRow([type, name, times.text(deletedAt), personText(names.get(user), names)]);
  }
  yield TABLE_END;
}

/** Evidence whose files are not in the proof. */
export async function* missingTable(
  { registers, missingSizes }: Report,
  collections: readonly Collected[],
): AsyncGenerator<Html> {
  yield note(
    'The bytes of these files are gone, as their evidence was deleted after the end of the period. Their size and SHA-256 are in the log.',
  );
  const names = new Map(collections.flatMap(({ records }) => records.map(({ uniqueId, name }) => [uniqueId, name])));
  yield tableStart(['Evidence', 'Of', 'Size', 'SHA-256'], 'm');
  for await (const { row, resource } of registers.read('evidence')) {
    const sha256 = String(row['sha256']);
    const size = missingSizes.get(sha256);
    if (size === undefined) continue;
    const parent = resource.events[0]?.parentId ?? '';
    yield tableRow([String(row['name']), names.get(parent) ?? parent, sizeText(size), markup`<code>${sha256}</code>`]);
  }
  yield TABLE_END;
}
