import { responseEntityTag } from '../../../procedures/schemas/entity-tag.ts';
import type { UpsertResponse } from '../../../procedures/core/declaration/meta.ts';
import type { Exchange } from '../exchange.ts';
import { getField, setJson, setLocation } from './target.ts';
import type { ResponseTarget } from './target.ts';

/** Writes the item of `{upsert, item}`, with 201 if it was created. */
export function writeUpsert(
  target: ResponseTarget,
  { isDryRun }: Exchange,
  { location }: UpsertResponse,
  output: unknown,
): void {
  const item = getField(output, 'item');
  const upsert = getField(output, 'upsert');
  target.set('ETag', `"${responseEntityTag(item)}"`);
  target.set('X-Upsert', String(upsert));
  if (isDryRun) target.set('X-Dry-Run', 'true');
  target.status = upsert === 'created' ? 201 : 200;
  if (upsert === 'created' && !isDryRun) setLocation(target, location, item);
  setJson(target, item);
}
