import { createTargetCompany } from '../../faults/workload/load.ts';
import { sendRequest } from '../../faults/workload/http-client.ts';
import { seededRandom } from '../../faults/workload/random.ts';
import { verifyChains } from './checks.ts';
import { OPERATOR_TOKEN, withService } from './service.ts';
import type { StoredData } from './stored-data.ts';
import type { InstalledVersion } from './version-before.ts';

/** Requests that create and change the prepared tasks and vendors. */
const REQUESTS = 400;
/** Fills empty data through the API of a version. @returns a key */
export function prepareData(data: StoredData, version: InstalledVersion): Promise<string> {
  return withService(data, version, async (url) => {
    const { id, key, framework } = await createTargetCompany(url, OPERATOR_TOKEN);
    const random = seededRandom(id);
    const companies = { key, framework, tasks: [] as string[], vendors: [] as string[] };
    for (let index = 0; index < REQUESTS; index++) {
      const isTask = index % 2 === 0;
      const { tasks, vendors } = companies;
      const isUpdate = index >= REQUESTS / 2;
      const [ids, path, field] = isTask
        ? [tasks, '/external/task', 'title']
        : [vendors, '/external/smart-inventory/vendor', 'name'];
      const collection = isTask ? `${path}/framework/${framework}` : path;
      const { status, text } = await sendRequest(
        `${url}${isUpdate ? `${path}/${random.pick(ids)}/edit` : `${collection}/new`}`,
        { method: isUpdate ? 'PATCH' : 'POST', headers: { 'X-API-Key': key }, body: { [field]: `Text ${index}` } },
      );
      if (status >= 300) throw new Error(`preparation: ${status} ${text}`);
      if (!isUpdate) ids.push((JSON.parse(text) as { uniqueId: string }).uniqueId);
    }
    await verifyChains(url, OPERATOR_TOKEN, [id]); // seals all events
    return key;
  });
}
