import { createTargetCompany } from '../faults/workload/load.ts';
import { sendRequest } from '../../support/http/client.ts';
import { verifyChains } from './checks.ts';
import { withService } from './service.ts';
import type { StoredData } from './stored-data.ts';
import type { InstalledVersion } from './version-before.ts';

const TASKS_AND_VENDORS = 100;

/** Creates tasks and vendors in empty data through the API of a version, and changes each of them. @returns a key */
export function prepareData(data: StoredData, version: InstalledVersion): Promise<string> {
  return withService(data, version, async (url) => {
    const { id, key, framework } = await createTargetCompany(url);
    const send = async (method: string, path: string, body: object) => {
      const { status, text } = await sendRequest(`${url}${path}`, { method, headers: { 'X-API-Key': key }, body });
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
      return text;
    };
    const createAndChange = async (path: string, collection: string, field: string, text: string) => {
      const created = await send('POST', `${collection}/new`, { [field]: text });
      const { uniqueId } = JSON.parse(created) as { uniqueId: string };
      await send('PATCH', `${path}/${uniqueId}/edit`, { [field]: `${text}, changed` });
    };
    for (let index = 1; index <= TASKS_AND_VENDORS; index++) {
      await createAndChange('/external/task', `/external/task/framework/${framework}`, 'title', `Task ${index}`);
      const vendors = '/external/smart-inventory/vendor';
      await createAndChange(vendors, vendors, 'name', `Vendor ${index}`);
    }
    await verifyChains(url, [id]); // seals all events
    return key;
  });
}
