import { differences } from './compare.ts';
import type { Client } from './scenario/client.ts';
import type { FixtureRecord, RecordedResponse } from './scenario/record.ts';

/** Sends recorded requests again. Returns the differences of the responses. */
export async function replay(
  client: Client,
  { recordedAt }: Pick<FixtureRecord, 'recordedAt'>,
  responses: readonly RecordedResponse[],
  options?: Parameters<typeof differences>[3],
): Promise<string[]> {
  const found: string[] = [];
  for (const { request, response } of responses) {
    const actual = await client.send(request);
    found.push(...differences(response, actual, recordedAt, options).map((one) => `${request.path}: ${one}`));
  }
  return found;
}
