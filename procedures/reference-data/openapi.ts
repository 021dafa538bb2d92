const tags = ['Reference data'];

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  frameworks: {
    tags,
    operationId: 'listFrameworks',
    summary: 'List the frameworks, by id',
    description: 'Includes archived frameworks. A key that is limited to frameworks sees only these.',
  },
  gaps: {
    tags,
    operationId: 'listGaps',
    summary: 'List the gaps of a framework, by id',
    description: 'Includes archived gaps. The framework may be archived.',
  },
  departments: {
    tags,
    operationId: 'listDepartments',
    summary: 'List the departments, by id',
    description: 'Includes archived departments.',
  },
};
