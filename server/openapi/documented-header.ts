import type { oas31 } from 'zod-openapi';
import type { Route } from '../rest/route.ts';

/** Response below `/external`. Errors, which all operations share, have no route. */
export interface DocumentedResponse {
  status: number;
  route?: Route;
}

export interface DocumentedHeader {
  description: string;
  schema: oas31.SchemaObject;
  example: string | number;
}

export interface ResponseHeader extends DocumentedHeader {
  /** Returns true if the response may have the header. */
  appliesTo(response: DocumentedResponse): boolean;
  /** True if each of these responses has the header. */
  required?: true;
}
