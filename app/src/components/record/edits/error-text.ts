import { errorDetails, fieldErrors, sentence } from '../../../api/errors.ts';
import { fieldLabel } from '../values.ts';

/** A sentence about a save that failed. */
export function errorText(name: PropertyKey, failure: unknown): string {
  const field = String(name);
  const { [field]: ofField, '': rest = '' } = fieldErrors(errorDetails(failure), [field]);
  // Names of other fields are words too: "startDate" is "start date".
  const text = (ofField ?? rest).replaceAll(/\b[a-z]+[A-Z]\w*/g, (one) => fieldLabel(one).toLowerCase());
  return `Not saved. ${sentence(text)}`;
}
