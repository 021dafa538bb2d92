import { z } from 'zod';
import {
  ActorOutput,
  booleanInput,
  enumInput,
  nameInput,
  textInput,
  textOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { VIEW_LIMITS, VIEW_PAGES } from '../../entities/view/view.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';

const page = enumInput(VIEW_PAGES).meta({ description: 'Page of the application' });

const viewFields = {
  name: nameInput('Name of the view'),
  page,
  query: textInput(`text of at most ${VIEW_LIMITS.maxQueryLength} characters`, VIEW_LIMITS.maxQueryLength).meta({
    description: 'Query string of the page, which is kept as it is sent',
    examples: ['assignee=me&due=week'],
  }),
  shared: booleanInput.meta({ description: 'Whether every member of the company sees the view' }),
};

export const ViewId = z.strictObject({
  uniqueId: uniqueIdInput('uniqueId of the view', '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6078'),
});
export const NewView = z.strictObject({ ...viewFields, shared: viewFields.shared.default(false) });
export const ViewChanges = ViewId.extend(z.strictObject(viewFields).partial().shape);

export const ViewOutput = z.object({
  uniqueId: uniqueIdOutput,
  name: textOutput(MAX_NAME_LENGTH, 'My tasks of this week'),
  page,
  query: textOutput(VIEW_LIMITS.maxQueryLength, 'assignee=me&due=week'),
  shared: z.boolean(),
  owner: ActorOutput.meta({ description: 'Member who made the view' }),
});
