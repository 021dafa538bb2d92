import { parse } from 'csv-parse/sync';
import { differences } from './compare.ts';
import type { Client, ServiceRequest, ServiceResponse } from './scenario/client.ts';
import type { FixtureRecord, RecordedResponse } from './scenario/record.ts';

/** A response whose CSV file is rows by the names of their columns, as a later version may add columns. */
function withRows({ headers }: ServiceRequest, response: ServiceResponse): ServiceResponse {
  const { body } = response;
  if (headers['Accept'] !== 'text/csv' || typeof body !== 'string') return response;
  return { ...response, body: parse(body, { bom: true, columns: true }) };
}

/** Sends recorded requests again. Returns the differences of the responses. */
export async function replay(
  client: Client,
  { recordedAt }: Pick<FixtureRecord, 'recordedAt'>,
  responses: readonly RecordedResponse[],
  options?: Parameters<typeof differences>[3],
): Promise<string[]> {
  const found: string[] = [];
  for (const { request, response } of responses) {
    const actual = withRows(request, await client.send(request));
    const recorded = withRows(request, response);
    found.push(...differences(recorded, actual, recordedAt, options).map((one) => `${request.path}: ${one}`));
  }
  return found;
}
