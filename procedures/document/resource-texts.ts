/** Name of a resource in operation ids: `Task` for `task`. */
export const nounOf = (type: string): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}`;

/** Returns a function for the texts of an operation in the OpenAPI document. @param tag group of the operation */
export const operationTexts = (tag: string) => (operationId: string, summary: string, description?: string) => ({
  tags: [tag],
  operationId,
  summary,
  ...(description !== undefined && { description }),
});

/** Texts of the operations in the OpenAPI document that every resource has, for a type like `task`. */
export function resourceTexts(type: string) {
  const noun = nounOf(type);
  const text = operationTexts(`${noun}s`);
  const common = {
    get: text(`get${noun}`, `Read a ${type}`, `Returns the current ${type}, or the ${type} as it was at a time.`),
    history: text(
      `get${noun}History`,
      `Read the history of a ${type}, newest first`,
      `Also available for a deleted ${type}.`,
    ),
    delete: text(`delete${noun}`, `Delete a ${type}`, 'The history remains available.'),
    deleteByExternalId: text(
      `delete${noun}ByExternalId`,
      `Delete the ${type} with an external id`,
      'The external id stays reserved, and the history remains available.',
    ),
    link: text(
      `link${noun}`,
      `Add an external id to a ${type}`,
      `A ${type} has at most 10 external ids. An id that the ${type} has already changes nothing.`,
    ),
    batch: text(
      `batch${noun}s`,
      `Create, change and delete up to 100 ${type}s`,
      'Each item is a single request with its own result. All run in one transaction; with `atomic` one item that fails rejects ' +
        'all. A batch counts as one request for every 10 items. Each object may be the target of one item only.',
    ),
  };
  return { text, common };
}
