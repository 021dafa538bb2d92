import { resourceStatements } from '../statements/resource.ts';
import { commentResource } from './comment.ts';

type Types = NonNullable<(typeof commentResource)['~fields']>;

/** In an update, `isValid` tells if the mentions may be in a row. */
export const commentStatements = resourceStatements<
  Types['created'],
  Types['fields'],
  ReturnType<typeof commentResource.deriveFields>,
  { isValid: boolean },
  Types['readOnly']
>(commentResource, {
  updateConditions: ({ isValid }) => [`${isValid}::boolean`],
});
