import type { Oracle } from '../runner/oracle.ts';
import type { CompanyModel } from './company-model.ts';
import { StepContext } from './step-context.ts';
import type { Step } from './steps.ts';
import { followChanges, listAuditLog } from './steps/audit-log.ts';
import { manageApiKey, manageReferenceData } from './steps/management.ts';
import { listReferenceData, readReport } from './steps/reference-data.ts';
import { deleteResource, getResource, history, useExternalId } from './steps/resource.ts';
import { listTasks } from './steps/task-list.ts';
import { createTask, putTask, updateTask } from './steps/task.ts';
import { batchVendors } from './steps/vendor-batch.ts';
import { listVendors } from './steps/vendor-list.ts';
import { createVendor, putVendor, updateVendor } from './steps/vendor.ts';

/**
 * Runs one step: sends the requests, compares the responses with the model, and updates the model.
 * @throws Finding if a response differs from the prediction
 */
export async function runStep(oracle: Oracle, models: readonly CompanyModel[], step: Step): Promise<void> {
  const context = new StepContext(oracle, models, step);
  const { action } = step;
  switch (action.type) {
    case 'create task':
      return createTask(context, action.framework, action.input);
    case 'update task':
      return updateTask(context, action.input, action.match);
    case 'create vendor':
      return createVendor(context, action.input);
    case 'update vendor':
      return updateVendor(context, action.input, action.match, action.returnsResult);
    case 'put task':
      return putTask(context, action.framework, action.input, action.options, action.match);
    case 'put vendor':
      return putVendor(context, action.input, action.options, action.match);
    case 'get by external id':
      return useExternalId(context, 'get', action.kind, action.framework, action.externalId);
    case 'delete by external id':
      return useExternalId(context, 'delete', action.kind, action.framework, action.externalId);
    case 'batch vendors':
      return batchVendors(context, action.atomic, action.items);
    case 'delete task':
      return deleteResource(context, 'task', action.match);
    case 'delete vendor':
      return deleteResource(context, 'vendor', action.match);
    case 'get task':
      return getResource(context, 'task');
    case 'get vendor':
      return getResource(context, 'vendor');
    case 'task history':
      return history(context, 'task');
    case 'vendor history':
      return history(context, 'vendor');
    case 'list tasks':
      return listTasks(context, action);
    case 'list vendors':
      return listVendors(context, action);
    case 'list reference data':
      return listReferenceData(context, action.kind, action.choice);
    case 'read report':
      return readReport(context, action.framework);
    case 'list audit log':
      return listAuditLog(context, action.resourceType);
    case 'follow changes':
      return followChanges(context);
    case 'archive':
    case 'rename':
      return manageReferenceData(context, action.type, action.kind, action.choice);
    case 'rename key':
    case 'disable key':
    case 'enable key':
    default:
      return manageApiKey(context, action.type);
  }
}
