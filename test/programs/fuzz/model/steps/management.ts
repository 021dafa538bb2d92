import { operatorHeaders } from '../../../../support/http/client.ts';
import type { StepContext } from '../step-context.ts';
import type { ReferenceChoice } from '../steps.ts';

async function callManagement(
  context: StepContext,
  procedure: string,
  input: object,
  predicted: number,
): Promise<boolean> {
  const { company } = context.model;
  const request = {
    method: 'POST',
    path: `/trpc/management.${procedure}`,
    headers: operatorHeaders(company.id),
    body: input,
  };
  const response = await context.oracle.sendAndCheck(request, { company, key: undefined });
  context.assert(response.status === predicted, response, String(predicted));
  return predicted === 200;
}

export async function manageReferenceData(
  context: StepContext,
  verb: 'archive' | 'rename',
  kind: 'framework' | 'department' | 'gap',
  choice: ReferenceChoice,
): Promise<void> {
  const id = context.referenceId(choice, `${kind}s`);
  const name = context.markedText(kind, context.step.resourceIndex);
  const newName = kind === 'gap' ? { title: name } : { name };
  const input = { id, ...(verb === 'rename' && newName) };
  const isSuccess = await callManagement(context, `${kind}.${verb}`, input, choice.isOwn ? 200 : 404);
  if (isSuccess && verb === 'archive') context.model.archived[kind].add(id);
}

export async function manageApiKey(
  context: StepContext,
  action: 'rename key' | 'disable key' | 'enable key',
): Promise<void> {
  const { isOwn, key: keyName, resourceIndex } = context.step;
  const key = (isOwn ? context.model : context.otherModel).company.keys[keyName];
  const name = context.markedText('Key', resourceIndex);
  const change = action === 'rename key' ? { name } : { enabled: action === 'enable key' };
  const isSuccess = await callManagement(
    context,
    'apiKey.update',
    { uniqueId: key.uniqueId, ...change },
    isOwn ? 200 : 404,
  );
  if (!isSuccess) return;
  if (action === 'rename key') context.model.renameKey(key, name);
  else if (action === 'enable key') context.model.disabledKeys.delete(key);
  else context.model.disabledKeys.add(key);
}
