// Made from the OpenAPI document by npm run docs:types.

export interface paths {
    "/external/task/framework/{framework}/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the tasks of a framework, or list them
         * @description Returns the number of matching tasks; with `limit` also a page of them, by default newest first. A task must match all filters. The framework may be archived. With `Accept: text/csv` or `application/x-ndjson` the response is a file with all matching tasks; `limit` and `cursor` are then not allowed. Needs the scope `task:read`.
         */
        get: operations["listTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/task/framework/{framework}/new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a task in a framework
         * @description A new task has the status `todo`. Only the title is required. Needs the scope `task:write`.
         */
        post: operations["createTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/task/framework/{framework}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import tasks of a framework from a file
         * @description The body is the file: CSV with a header row, or one JSON object on each line; at most 64 MiB and 100,000 rows. Takes the columns of the export. The response comes as soon as the file is stored; the rows are applied in the background. Needs the scope `task:write`.
         */
        post: operations["importTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/task/{taskUniqueId}/item": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a task
         * @description Returns the current task, or the task as it was at a time. Needs the scope `task:read`.
         */
        get: operations["getTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/task/{taskUniqueId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the history of a task, newest first
         * @description Also available for a deleted task. Needs the scope `audit:read`.
         */
        get: operations["getTaskHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/task/{taskUniqueId}/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change some fields of a task
         * @description Omitted fields keep their value; null clears a date or the department. The open statuses `todo`, `in_progress` and `in_review` may change to any status. The closed statuses `done`, `not_applicable` and `canceled` may change to `todo` only. Other fields may change in any status. Needs the scope `task:write`.
         */
        patch: operations["updateTask"];
        trace?: never;
    };
    "/external/task/framework/{framework}/by/{source}/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the task with an external id
         * @description The id is compared byte for byte, within the framework. Needs the scope `task:read`.
         */
        get: operations["getTaskByExternalId"];
        /**
         * Create or change the task with an external id
         * @description Fields that are not sent take their default, except the status of an existing task; with `mode=merge` they keep their value, and only a new task needs a title. A task that has these values already is not written. A new task may have any status. The id of a deleted task stays reserved (409) unless `recreate=true`. Needs the scope `task:write`.
         */
        put: operations["putTaskByExternalId"];
        post?: never;
        /**
         * Delete the task with an external id
         * @description The external id stays reserved, and the history remains available. Needs the scope `task:delete`.
         */
        delete: operations["deleteTaskByExternalId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/task/{taskUniqueId}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an external id to a task
         * @description A task has at most 10 external ids. An id that the task has already changes nothing. Needs the scope `task:write`.
         */
        post: operations["linkTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/task/{taskUniqueId}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a task
         * @description The history remains available. Needs the scope `task:delete`.
         */
        delete: operations["deleteTask"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/task/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create, change and delete up to 100 tasks
         * @description Each item is a single request with its own result. All run in one transaction; with `atomic` one item that fails rejects all. A batch counts as one request for every 10 items. Each object may be the target of one item only.
         */
        post: operations["batchTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List vendors, by name
         * @description Returns all vendors of the company, in the order of code points. With `limit` it returns a page, and the next page in `Link`. With `view=full` the items are whole vendors. With `Accept: text/csv` or `application/x-ndjson` the response is a file with all matching vendors; `limit`, `cursor` and `view` are then not allowed. Needs the scope `vendor:read`.
         */
        get: operations["listVendors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a vendor
         * @description Only the name is required. Duplicates are allowed. Needs the scope `vendor:write`.
         */
        post: operations["createVendor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import vendors from a file
         * @description The body is the file: CSV with a header row, or one JSON object on each line; at most 64 MiB and 100,000 rows. Takes the columns of the export. The response comes as soon as the file is stored; the rows are applied in the background. Needs the scope `vendor:write`.
         */
        post: operations["importVendors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/{vendor}/item": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a vendor
         * @description Returns the current vendor, or the vendor as it was at a time. Needs the scope `vendor:read`.
         */
        get: operations["getVendor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/{vendor}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the history of a vendor, newest first
         * @description Also available for a deleted vendor. Needs the scope `audit:read`.
         */
        get: operations["getVendorHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/{vendor}/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change some fields of a vendor
         * @description Omitted fields keep their value. `active` and `status` must agree if both are sent. Needs the scope `vendor:write`.
         */
        patch: operations["updateVendor"];
        trace?: never;
    };
    "/external/smart-inventory/vendor/by/{source}/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the vendor with an external id
         * @description The id is compared byte for byte. Needs the scope `vendor:read`.
         */
        get: operations["getVendorByExternalId"];
        /**
         * Create or change the vendor with an external id
         * @description Fields that are not sent take their default; with `mode=merge` they keep their value, and only a new vendor needs a name. A vendor that has these values already is not written. The id of a deleted vendor stays reserved (409) unless `recreate=true`. Needs the scope `vendor:write`.
         */
        put: operations["putVendorByExternalId"];
        post?: never;
        /**
         * Delete the vendor with an external id
         * @description The external id stays reserved, and the history remains available. Needs the scope `vendor:delete`.
         */
        delete: operations["deleteVendorByExternalId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/{vendor}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an external id to a vendor
         * @description A vendor has at most 10 external ids. An id that the vendor has already changes nothing. Needs the scope `vendor:write`.
         */
        post: operations["linkVendor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/{vendor}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a vendor
         * @description The history remains available. Needs the scope `vendor:delete`.
         */
        delete: operations["deleteVendor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/smart-inventory/vendor/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create, change and delete up to 100 vendors
         * @description Each item is a single request with its own result. All run in one transaction; with `atomic` one item that fails rejects all. A batch counts as one request for every 10 items. Each object may be the target of one item only.
         */
        post: operations["batchVendors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/framework/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the frameworks, by id
         * @description Includes archived frameworks. A key that is limited to frameworks sees only these. Needs the scope `task:read`.
         */
        get: operations["listFrameworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/framework/{framework}/gap/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the gaps of a framework, by id
         * @description Includes archived gaps. The framework may be archived. Needs the scope `task:read`.
         */
        get: operations["listGaps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/department/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the departments, by id
         * @description Includes archived departments. Needs the scope `task:read`.
         */
        get: operations["listDepartments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/import/{importUniqueId}/item": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of an import
         * @description Shows the counters and the first 1,000 errors. Needs the scope `vendor:write` or `task:write`, as the import did. An import stays readable for 30 days after its end.
         */
        get: operations["getImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/import/{importUniqueId}/error/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rows of an import that were not applied
         * @description In the order of the file. Needs the scope `vendor:write` or `task:write`, as the import did.
         */
        get: operations["listImportErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/import/{importUniqueId}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel an import
         * @description Rows that were applied stay. An import that has ended is 409. Needs the scope `vendor:write` or `task:write`, as the import did.
         */
        delete: operations["cancelImport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/api-key/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the API key of the request
         * @description Returns the integration user, permissions and expiry of the key. Any valid key may call it.
         */
        get: operations["getOwnApiKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/audit/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log, newest first
         * @description With `Accept: application/x-ndjson` the response has every matching event, one on each line. `limit` and `cursor` are then not allowed. Needs the scope `audit:read`.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the changes of the company, oldest first
         * @description Returns the events after a cursor, each exactly once and in order. `wait` holds the response until there is one. With `Accept: application/x-ndjson` the response has every event that is there, one on each line, and `{"cursor": "…"}` on the last line. `limit` and `wait` are then not allowed. Needs the scope `audit:read`.
         */
        get: operations["listChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook/new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Sends the events from now on to a URL. The response has the secret that signs the requests; no later response has it. A company has at most 20 endpoints. Needs the scopes `webhook:manage` and `audit:read`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook endpoints
         * @description All endpoints of the company, oldest first. Needs the scopes `webhook:manage` and `audit:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook/{webhook}/item": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a webhook endpoint
         * @description Needs the scopes `webhook:manage` and `audit:read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook/{webhook}/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description Omitted fields keep their value. An endpoint that becomes enabled receives the events from then on; a replay sends older ones. Needs the scopes `webhook:manage` and `audit:read`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/external/webhook/{webhook}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook endpoint a new secret
         * @description The old secret signs too until the end of the overlap. Another rotation meanwhile ends the oldest secret. Needs the scopes `webhook:manage` and `audit:read`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook/{webhook}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends `webhook.test` in the background. A disabled endpoint is 409. Needs the scopes `webhook:manage` and `audit:read`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook/{webhook}/delivery/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint
         * @description Those of the last 30 days, newest first. Needs the scopes `webhook:manage` and `audit:read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook/{webhook}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver events again
         * @description One event by `sequence`, or every selected event from a time on by `since`. A delivery has the same `webhook-id` as before. An unknown `sequence` is 404, a disabled endpoint 409. Needs the scopes `webhook:manage` and `audit:read`.
         */
        post: operations["replayWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook/{webhook}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Needs the scopes `webhook:manage` and `audit:read`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "company.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * company.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveCompanyCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "company.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * company.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveCompanyUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "company.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * company.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveCompanyDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "framework.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * framework.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveFrameworkCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "framework.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * framework.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveFrameworkUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "framework.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * framework.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveFrameworkDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "department.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * department.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveDepartmentCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "department.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * department.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveDepartmentUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "department.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * department.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveDepartmentDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "gap.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * gap.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveGapCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "gap.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * gap.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveGapUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "gap.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * gap.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveGapDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * api_key.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveApiKeyCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * api_key.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveApiKeyUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * api_key.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveApiKeyDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * api_key.rotate
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveApiKeyRotateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * api_key.revoke
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveApiKeyRevokeEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * task.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveTaskCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * task.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveTaskUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * task.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveTaskDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "vendor.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * vendor.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveVendorCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "vendor.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * vendor.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveVendorUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "vendor.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * vendor.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveVendorDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * member.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveMemberCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * member.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveMemberUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * member.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveMemberDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invitation.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * invitation.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveInvitationCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invitation.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * invitation.revoke
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveInvitationRevokeEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sso.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * sso.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveSsoUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook.create
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveWebhookCreateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook.update
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveWebhookUpdateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook.delete
         * @description An audit event. `data.changes` has the whole object.
         */
        post: operations["receiveWebhookDeleteEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook.rotate
         * @description An audit event. `data.changes` has `{from, to}` of each changed field.
         */
        post: operations["receiveWebhookRotateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook.test
         * @description Sent to test an endpoint. It is in neither the audit log nor the change feed.
         */
        post: operations["receiveWebhookTestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @example {
         *       "total": 1
         *     }
         */
        TaskList: {
            /**
             * Format: int32
             * @description Number of matching tasks of the framework, on all pages
             */
            total: number;
            /** @description In the order of `sort`. Only with `limit`. */
            items?: components["schemas"]["Task"][];
            /**
             * @description Send it as `cursor` to get the next page; null on the last page
             * @example null
             */
            nextCursor?: string | null;
        };
        Task: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            uniqueId: string;
            /** Format: int32 */
            framework: number;
            /** @example Review access rights */
            title: string;
            /** @example <p>With the owner of each system.</p> */
            description: string;
            /**
             * Format: int32
             * @description 1 urgent, 2 high, 3 medium, 4 low
             * @example 2
             */
            priority: number;
            labels: string[];
            /**
             * Format: date
             * @example 2026-12-31
             */
            startDate: string | null;
            /**
             * Format: date
             * @example 2026-12-31
             */
            dueDate: string | null;
            /** Format: int32 */
            departmentId: number | null;
            gaps: number[];
            /** @enum {string} */
            status: "todo" | "in_progress" | "in_review" | "done" | "not_applicable" | "canceled";
            externalIds: components["schemas"]["ExternalId"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            updatedAt: string;
            createdBy: components["schemas"]["Actor"];
            updatedBy: components["schemas"]["Actor"];
            /**
             * Format: int32
             * @description 1, increased by one with each change
             */
            version: number;
        };
        /** @description Id of the object in another system */
        ExternalId: {
            /** @example servicenow */
            source: string;
            /** @example VEN-0042 */
            externalId: string;
        };
        /**
         * @description User who made the change
         * @example {
         *       "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
         *       "name": "Ticket sync",
         *       "kind": "integration"
         *     }
         */
        Actor: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            uniqueId: string;
            /** @example Ticket sync */
            name: string;
            /** @enum {string} */
            kind: "human" | "integration";
        };
        Import: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075
             */
            uniqueId: string;
            /** @enum {string} */
            kind: "vendor" | "task";
            /**
             * Format: int32
             * @description Framework of the tasks; null for vendors
             * @example null
             */
            framework: number | null;
            dryRun: boolean;
            /** @enum {string} */
            state: "queued" | "running" | "done" | "failed" | "canceled";
            /**
             * Format: int32
             * @description Rows of the file; 0 until all of it is read
             * @example 0
             */
            rows: number;
            /**
             * Format: int32
             * @description Rows that created an item
             * @example 0
             */
            created: number;
            /**
             * Format: int32
             * @description Rows that changed an item
             * @example 0
             */
            updated: number;
            /**
             * Format: int32
             * @description Rows that changed nothing
             * @example 0
             */
            unchanged: number;
            /**
             * Format: int32
             * @description Rows with an error
             * @example 0
             */
            failed: number;
            /**
             * @description Why the import failed; null unless it did
             * @example null
             */
            reason: string | null;
            /** @example [] */
            errors: components["schemas"]["ImportError"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example null
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example null
             */
            endedAt: string | null;
            createdBy: components["schemas"]["Actor"];
        };
        ImportError: {
            /**
             * Format: int32
             * @description Number of the row, from 1 below the header
             * @example 2
             */
            row: number;
            /**
             * Format: int32
             * @description First line of the row in the file
             * @example 3
             */
            line: number;
            /**
             * @description Field with the error; null if none applies
             * @example name
             */
            field: string | null;
            /** @example name: required */
            error: string;
        };
        AuditEvents: {
            items: components["schemas"]["AuditEvent"][];
            /**
             * @description Send it as `cursor` to get the next page; null on the last page
             * @example null
             */
            nextCursor: string | null;
        };
        AuditEvent: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            uniqueId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            occurredAt: string;
            actor: components["schemas"]["Actor"];
            /**
             * Format: uuid
             * @description uniqueId of the API key; null if there was none
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            apiKey: string | null;
            /**
             * @description Resource type and verb
             * @example task.update
             */
            action: string;
            /**
             * @example {
             *       "type": "task",
             *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
             *     }
             */
            resource: {
                /** @example task */
                type: string;
                uniqueId: string;
            };
            /**
             * @description `{field: {from, to}}` of the changed fields; the full object for create and delete. Absent if a newer version of the service wrote the event
             * @example {
             *       "priority": {
             *         "from": 3,
             *         "to": 1
             *       }
             *     }
             */
            changes?: {
                [key: string]: unknown;
            };
            /**
             * @description X-Request-Id of the request
             * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
             */
            requestId: string;
        };
        TaskBatchResults: {
            /**
             * Format: int32
             * @description Number of items that succeeded
             */
            succeeded: number;
            /**
             * Format: int32
             * @description Number of items that failed
             */
            failed: number;
            results: components["schemas"]["TaskBatchResult"][];
        };
        TaskBatchResult: {
            /**
             * Format: int32
             * @description Index of the item in the request
             */
            index: number;
            /**
             * Format: int32
             * @description Status of the single request
             * @example 201
             */
            status: number;
            item?: components["schemas"]["Task"];
            /**
             * @description Entity tag, without quotes
             * @example 1-5f0c2a91
             */
            etag?: string;
            /**
             * @description Message of the single request
             * @example name: required
             */
            error?: string;
            /**
             * @description `X-Error-Code` of the single request
             * @enum {string}
             */
            code?: "invalid_request" | "malformed_json" | "unauthorized" | "key_disabled" | "key_expired" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_conflict" | "cursor_lost" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "rate_limited" | "internal" | "unavailable";
        };
        ListedVendor: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            uniqueId: string;
            /** @example Cloud Ltd */
            name: string;
            /** @enum {string} */
            status: "active" | "inactive" | "archived";
        };
        Vendor: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            uniqueId: string;
            /** @example Cloud Ltd */
            name: string;
            /** @enum {string} */
            status: "active" | "inactive" | "archived";
            /** @description Whether the status is `active` */
            active: boolean;
            /** @example <p>Hosts our <b>production</b>.</p> */
            description: string;
            externalIds: components["schemas"]["ExternalId"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            updatedAt: string;
            createdBy: components["schemas"]["Actor"];
            updatedBy: components["schemas"]["Actor"];
            /**
             * Format: int32
             * @description 1, increased by one with each change
             */
            version: number;
        };
        VendorBatchResults: {
            /**
             * Format: int32
             * @description Number of items that succeeded
             */
            succeeded: number;
            /**
             * Format: int32
             * @description Number of items that failed
             */
            failed: number;
            results: components["schemas"]["VendorBatchResult"][];
        };
        VendorBatchResult: {
            /**
             * Format: int32
             * @description Index of the item in the request
             */
            index: number;
            /**
             * Format: int32
             * @description Status of the single request
             * @example 201
             */
            status: number;
            item?: components["schemas"]["Vendor"];
            /**
             * @description Entity tag, without quotes
             * @example 1-5f0c2a91
             */
            etag?: string;
            /**
             * @description Message of the single request
             * @example name: required
             */
            error?: string;
            /**
             * @description `X-Error-Code` of the single request
             * @enum {string}
             */
            code?: "invalid_request" | "malformed_json" | "unauthorized" | "key_disabled" | "key_expired" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_conflict" | "cursor_lost" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "rate_limited" | "internal" | "unavailable";
        };
        Framework: {
            /** Format: int32 */
            id: number;
            /** @example ISO 27001 */
            name: string;
            /**
             * @description Archived reference data cannot be given to tasks
             * @example false
             */
            archived: boolean;
        };
        Gap: {
            /** Format: int32 */
            id: number;
            /** @example No access review */
            title: string;
            /**
             * @description Archived reference data cannot be given to tasks
             * @example false
             */
            archived: boolean;
        };
        Department: {
            /** Format: int32 */
            id: number;
            /** @example Security */
            name: string;
            /**
             * @description Archived reference data cannot be given to tasks
             * @example false
             */
            archived: boolean;
        };
        ImportErrors: {
            items: components["schemas"]["ImportError"][];
            /**
             * @description Send it as `cursor` to get the next page; null on the last page
             * @example null
             */
            nextCursor: string | null;
        };
        ApiKey: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50
             */
            uniqueId: string;
            /** @example Ticket sync */
            name: string;
            /**
             * @description First 16 characters of the key
             * @example svc_sk_live_7Hq2
             */
            start: string;
            /**
             * @description Its last 4 characters
             * @example 3kZd
             */
            last4: string;
            user: components["schemas"]["Actor"];
            /**
             * @example [
             *       "task:read",
             *       "task:write",
             *       "task:delete",
             *       "vendor:read",
             *       "vendor:write",
             *       "vendor:delete",
             *       "audit:read"
             *     ]
             */
            scopes: ("task:read" | "task:write" | "task:delete" | "vendor:read" | "vendor:write" | "vendor:delete" | "audit:read" | "webhook:manage")[];
            /** @description Frameworks that the key may access; null for all */
            frameworks: number[] | null;
            /** @description Address ranges from which the key may be used; null for all */
            cidrs: string[] | null;
            enabled: boolean;
            /**
             * Format: date-time
             * @description Expiry of the key; null if it does not expire
             * @example null
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of revocation
             * @example null
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description End of validity of the secret before the last rotation
             * @example null
             */
            rotatedUntil: string | null;
            /**
             * Format: date-time
             * @description Time of the last report of the key at a new public URL
             * @example null
             */
            leakedAt: string | null;
            /**
             * @description URL of that report; null if it had none
             * @example null
             */
            leakedUrl: string | null;
            /**
             * Format: date-time
             * @description Time of the last request with the key, truncated to the minute
             * @example 2026-11-21T09:30:00.000Z
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            createdAt: string;
        };
        Changes: {
            items: components["schemas"]["Change"][];
            /**
             * @description Send it as `cursor` to get the next events. It never expires.
             * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
             */
            cursor: string;
            /**
             * @description True if more events are there already
             * @example false
             */
            more: boolean;
        };
        Change: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            uniqueId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            occurredAt: string;
            actor: components["schemas"]["Actor"];
            /**
             * Format: uuid
             * @description uniqueId of the API key; null if there was none
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            apiKey: string | null;
            /**
             * @description Resource type and verb
             * @example task.update
             */
            action: string;
            /**
             * @example {
             *       "type": "task",
             *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
             *     }
             */
            resource: {
                /** @example task */
                type: string;
                uniqueId: string;
            };
            /**
             * @description `{field: {from, to}}` of the changed fields; the full object for create and delete
             * @example {
             *       "priority": {
             *         "from": 3,
             *         "to": 1
             *       }
             *     }
             */
            changes: {
                [key: string]: unknown;
            };
            /**
             * @description X-Request-Id of the request
             * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
             */
            requestId: string;
            /**
             * Format: int64
             * @description Number of the event in the company, from 1 without holes
             * @example 4711
             */
            sequence: number;
            /**
             * @description True for a deletion; `changes` is then the last state of the resource
             * @example false
             */
            deleted: boolean;
        };
        WebhookWithSecret: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
             */
            uniqueId: string;
            /** @example https://hooks.example.com/compliance */
            url: string;
            /**
             * @description Event types that are sent; null for all
             * @example [
             *       "task.*",
             *       "vendor.update"
             *     ]
             */
            events: string[] | null;
            /** @example Ticket sync */
            description: string;
            enabled: boolean;
            /**
             * @description Null while enabled. `manual`: by a request; `gone`: by a response 410; `failing`: after 5 days without a success; `key`: the API key that created it is revoked, so that it cannot be enabled
             * @example null
             * @enum {string|null}
             */
            disabledReason: "manual" | "gone" | "failing" | "key" | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            updatedAt: string;
            /**
             * @description Signs the requests. No later response contains it; neither does a replay by `Idempotency-Key`.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwTzQmuzKJK8s=
             */
            secret?: string;
        };
        Webhooks: {
            items: components["schemas"]["Webhook"][];
            /**
             * @description Send it as `cursor` to get the next page; null on the last page
             * @example null
             */
            nextCursor: string | null;
        };
        Webhook: {
            /**
             * Format: uuid
             * @description UUIDv7
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
             */
            uniqueId: string;
            /** @example https://hooks.example.com/compliance */
            url: string;
            /**
             * @description Event types that are sent; null for all
             * @example [
             *       "task.*",
             *       "vendor.update"
             *     ]
             */
            events: string[] | null;
            /** @example Ticket sync */
            description: string;
            enabled: boolean;
            /**
             * @description Null while enabled. `manual`: by a request; `gone`: by a response 410; `failing`: after 5 days without a success; `key`: the API key that created it is revoked, so that it cannot be enabled
             * @example null
             * @enum {string|null}
             */
            disabledReason: "manual" | "gone" | "failing" | "key" | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-11-21T09:30:00.000Z
             */
            updatedAt: string;
        };
        WebhookSecret: {
            /**
             * @description Signs the requests. No later response contains it; neither does a replay by `Idempotency-Key`.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwTzQmuzKJK8s=
             */
            secret?: string;
        };
        WebhookDeliveries: {
            items: components["schemas"]["WebhookDelivery"][];
            /**
             * @description Send it as `cursor` to get the next page; null on the last page
             * @example null
             */
            nextCursor: string | null;
        };
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The same after a replay
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6077
             */
            uniqueId: string;
            /**
             * Format: int64
             * @description Number of the event in the change feed; null for `webhook.test`
             * @example 42
             */
            sequence: number | null;
            /**
             * @description Event type
             * @example task.create
             */
            type: string;
            /**
             * Format: int32
             * @description Attempts since the creation or the last replay
             * @example 1
             */
            attempts: number;
            /**
             * Format: int32
             * @description Status of the last response; null if there was none
             * @example 200
             */
            lastStatus: number | null;
            /**
             * @description Why the last attempt failed; null if it did not
             * @example null
             */
            lastError: string | null;
            /**
             * Format: date-time
             * @description Time of the next attempt; null if there is none
             * @example null
             */
            nextAttemptAt: string | null;
        };
        /** @description A message for people. It names the field. */
        Error: {
            /** @example priority: expected an integer from 1 to 4 */
            error: string;
        };
        /** @description Problem details (RFC 9457), sent with `Accept: application/problem+json`. */
        Problem: {
            /** @constant */
            type: "about:blank";
            /** @description Reason phrase of the status */
            title: string;
            /** Format: int32 */
            status: number;
            /** @description Same as `error` */
            detail: string;
            /**
             * Format: uri
             * @description Request id as a URN, if it is a UUID
             */
            instance?: string;
            /**
             * @description Same as `X-Error-Code`
             * @enum {string}
             */
            code: "invalid_request" | "malformed_json" | "unauthorized" | "key_disabled" | "key_expired" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_conflict" | "cursor_lost" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "rate_limited" | "internal" | "unavailable";
            /** @description A message for people. It names the field. */
            error: string;
        };
        NewTask: {
            /** @description Task title */
            title: string;
            /**
             * @description Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed.
             * @default
             */
            description?: string;
            /**
             * Format: int32
             * @description 1 urgent, 2 high, 3 medium, 4 low
             * @default 3
             */
            priority?: number;
            /**
             * @description Replaces all labels. At most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays.
             * @default []
             */
            labels?: string[];
            /**
             * Format: date
             * @default null
             * @example 2026-12-31
             */
            startDate?: string | null;
            /**
             * Format: date
             * @description Not before startDate, whether one or both are sent
             * @default null
             * @example 2026-12-31
             */
            dueDate?: string | null;
            /**
             * Format: int32
             * @description A department of the company that is not archived
             * @default null
             */
            departmentId?: number | null;
            /**
             * @description Replaces all gaps. Ids of gaps of the same framework, each once, at most 100.
             * @default []
             */
            gaps?: number[];
        };
        TaskChanges: {
            /** @description Task title */
            title?: string;
            /** @description Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed. */
            description?: string;
            /**
             * Format: int32
             * @description 1 urgent, 2 high, 3 medium, 4 low
             */
            priority?: number;
            /** @description Replaces all labels. At most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays. */
            labels?: string[];
            /**
             * Format: date
             * @example 2026-12-31
             */
            startDate?: string | null;
            /**
             * Format: date
             * @description Not before startDate, whether one or both are sent
             * @example 2026-12-31
             */
            dueDate?: string | null;
            /**
             * Format: int32
             * @description A department of the company that is not archived
             */
            departmentId?: number | null;
            /** @description Replaces all gaps. Ids of gaps of the same framework, each once, at most 100. */
            gaps?: number[];
            /** @enum {string} */
            status?: "todo" | "in_progress" | "in_review" | "done" | "not_applicable" | "canceled";
        };
        PutTaskByExternalId: {
            /** @description Task title */
            title?: string;
            /** @description Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed. */
            description?: string;
            /**
             * Format: int32
             * @description 1 urgent, 2 high, 3 medium, 4 low
             */
            priority?: number;
            /** @description Replaces all labels. At most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays. */
            labels?: string[];
            /**
             * Format: date
             * @example 2026-12-31
             */
            startDate?: string | null;
            /**
             * Format: date
             * @description Not before startDate, whether one or both are sent
             * @example 2026-12-31
             */
            dueDate?: string | null;
            /**
             * Format: int32
             * @description A department of the company that is not archived
             */
            departmentId?: number | null;
            /** @description Replaces all gaps. Ids of gaps of the same framework, each once, at most 100. */
            gaps?: number[];
            /** @enum {string} */
            status?: "todo" | "in_progress" | "in_review" | "done" | "not_applicable" | "canceled";
        };
        LinkTask: {
            /**
             * @description The other system, for example the name of a tool
             * @example servicenow
             */
            source: string;
            /**
             * @description Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.
             * @example VEN-0042
             */
            externalId: string;
        };
        BatchTasks: {
            /**
             * @description `true`: one item that fails rejects the whole batch
             * @default false
             * @example false
             */
            atomic?: boolean;
            items: {
                /** @enum {string} */
                op: "create" | "update" | "upsert" | "delete";
                /**
                 * Format: uuid
                 * @description Target of an update or a deletion
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072
                 */
                uniqueId?: string;
                /**
                 * @description With `externalId`, the target of an update, an upsert or a deletion
                 * @example servicenow
                 */
                source?: string;
                /**
                 * @description Id of the target in the other system
                 * @example VEN-0042
                 */
                externalId?: string;
                /**
                 * @description Mode of an upsert, as for PUT
                 * @example merge
                 * @enum {string}
                 */
                mode?: "replace" | "merge";
                /**
                 * @description Entity tag of the target, without quotes
                 * @example 1-5f0c2a91
                 */
                ifMatch?: string;
                /**
                 * @description Body of the single request
                 * @example {
                 *       "name": "Cloud Ltd"
                 *     }
                 */
                body?: {
                    [key: string]: unknown;
                };
                /**
                 * @description Framework of a new task, or of a task that is named by its external id
                 * @example 1
                 */
                framework?: number;
            }[];
        };
        NewVendor: {
            /** @description Vendor name. Duplicates are allowed. */
            name: string;
            /**
             * @description Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed.
             * @default
             */
            description?: string;
            /**
             * @description Whether the status is `active`
             * @default true
             */
            active?: boolean;
        };
        VendorChanges: {
            /** @description Vendor name. Duplicates are allowed. */
            name?: string;
            /** @description Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed. */
            description?: string;
            /** @description Whether the status is `active` */
            active?: boolean;
            /** @enum {string} */
            status?: "active" | "inactive" | "archived";
        };
        PutVendorByExternalId: {
            /** @description Vendor name. Duplicates are allowed. */
            name?: string;
            /** @description Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed. */
            description?: string;
            /** @description Whether the status is `active` */
            active?: boolean;
            /** @enum {string} */
            status?: "active" | "inactive" | "archived";
        };
        LinkVendor: {
            /**
             * @description The other system, for example the name of a tool
             * @example servicenow
             */
            source: string;
            /**
             * @description Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.
             * @example VEN-0042
             */
            externalId: string;
        };
        BatchVendors: {
            /**
             * @description `true`: one item that fails rejects the whole batch
             * @default false
             * @example false
             */
            atomic?: boolean;
            items: {
                /** @enum {string} */
                op: "create" | "update" | "upsert" | "delete";
                /**
                 * Format: uuid
                 * @description Target of an update or a deletion
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072
                 */
                uniqueId?: string;
                /**
                 * @description With `externalId`, the target of an update, an upsert or a deletion
                 * @example servicenow
                 */
                source?: string;
                /**
                 * @description Id of the target in the other system
                 * @example VEN-0042
                 */
                externalId?: string;
                /**
                 * @description Mode of an upsert, as for PUT
                 * @example merge
                 * @enum {string}
                 */
                mode?: "replace" | "merge";
                /**
                 * @description Entity tag of the target, without quotes
                 * @example 1-5f0c2a91
                 */
                ifMatch?: string;
                /**
                 * @description Body of the single request
                 * @example {
                 *       "name": "Cloud Ltd"
                 *     }
                 */
                body?: {
                    [key: string]: unknown;
                };
            }[];
        };
        NewWebhook: {
            /**
             * @description https URL without user info, at public addresses only
             * @example https://hooks.example.com/compliance
             */
            url: string;
            /**
             * @description Event types that are sent; null for all. `task.*` selects every type of a task.
             * @example [
             *       "task.*",
             *       "vendor.update"
             *     ]
             */
            events?: string[] | null;
            /**
             * @description Text for people
             * @example Ticket sync
             */
            description?: string;
        };
        WebhookChanges: {
            /**
             * @description https URL without user info, at public addresses only
             * @example https://hooks.example.com/compliance
             */
            url?: string;
            /**
             * @description Event types that are sent; null for all. `task.*` selects every type of a task.
             * @example [
             *       "task.*",
             *       "vendor.update"
             *     ]
             */
            events?: string[] | null;
            /**
             * @description Text for people
             * @example Ticket sync
             */
            description?: string;
            /** @description False disables the endpoint. Only a replay sends the events from meanwhile. */
            enabled?: boolean;
        };
        RotateWebhookSecret: {
            /**
             * Format: int32
             * @description Seconds for which both secrets sign
             * @default 0
             */
            overlapSeconds?: number;
        };
        ReplayWebhookEvents: {
            /**
             * Format: int64
             * @description `sequence` of one event
             * @example 42
             */
            sequence?: number;
            /**
             * Format: date-time
             * @description Delivers every selected event from this time on
             * @example 2026-11-21T09:30:00Z
             */
            since?: string;
        };
        /** @description Body of a webhook. `type` selects the schema of `data.changes`. */
        WebhookEvent: {
            /** @description The action in snake case */
            type: string;
            /**
             * Format: date-time
             * @description `occurredAt` of the event
             */
            timestamp: string;
            /**
             * Format: int64
             * @description Number of the event in the change feed, from 1 without holes; null for `webhook.test`
             */
            sequence: number | null;
            data: components["schemas"]["AuditEvent"];
        };
        /** @description Replaces the longest values of an event that would exceed 20,000 bytes */
        Truncated: {
            /** @constant */
            truncated: true;
        };
        CompanyEventFields: {
            id?: unknown;
            name?: unknown;
            leakedKeys?: unknown;
            createdAt?: unknown;
        };
        CompanyEventChanges: {
            id?: {
                from: unknown;
                to: unknown;
            };
            name?: {
                from: unknown;
                to: unknown;
            };
            leakedKeys?: {
                from: unknown;
                to: unknown;
            };
            createdAt?: {
                from: unknown;
                to: unknown;
            };
        };
        CompanyCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "company.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "company.create";
                resource: {
                    /** @constant */
                    type: "company";
                    uniqueId: string;
                };
                changes: components["schemas"]["CompanyEventFields"];
            };
        };
        CompanyUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "company.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "company.update";
                resource: {
                    /** @constant */
                    type: "company";
                    uniqueId: string;
                };
                changes: components["schemas"]["CompanyEventChanges"];
            };
        };
        CompanyDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "company.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "company.delete";
                resource: {
                    /** @constant */
                    type: "company";
                    uniqueId: string;
                };
                changes: components["schemas"]["CompanyEventFields"];
            };
        };
        FrameworkEventFields: {
            /** Format: int32 */
            id?: number;
            name?: string | components["schemas"]["Truncated"];
            archivedAt?: unknown;
        };
        FrameworkEventChanges: {
            id?: {
                /** Format: int32 */
                from: number;
                /** Format: int32 */
                to: number;
            };
            name?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            archivedAt?: {
                from: unknown;
                to: unknown;
            };
        };
        FrameworkCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "framework.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "framework.create";
                resource: {
                    /** @constant */
                    type: "framework";
                    uniqueId: string;
                };
                changes: components["schemas"]["FrameworkEventFields"];
            };
        };
        FrameworkUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "framework.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "framework.update";
                resource: {
                    /** @constant */
                    type: "framework";
                    uniqueId: string;
                };
                changes: components["schemas"]["FrameworkEventChanges"];
            };
        };
        FrameworkDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "framework.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "framework.delete";
                resource: {
                    /** @constant */
                    type: "framework";
                    uniqueId: string;
                };
                changes: components["schemas"]["FrameworkEventFields"];
            };
        };
        DepartmentEventFields: {
            /** Format: int32 */
            id?: number;
            name?: string | components["schemas"]["Truncated"];
            archivedAt?: unknown;
        };
        DepartmentEventChanges: {
            id?: {
                /** Format: int32 */
                from: number;
                /** Format: int32 */
                to: number;
            };
            name?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            archivedAt?: {
                from: unknown;
                to: unknown;
            };
        };
        DepartmentCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "department.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "department.create";
                resource: {
                    /** @constant */
                    type: "department";
                    uniqueId: string;
                };
                changes: components["schemas"]["DepartmentEventFields"];
            };
        };
        DepartmentUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "department.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "department.update";
                resource: {
                    /** @constant */
                    type: "department";
                    uniqueId: string;
                };
                changes: components["schemas"]["DepartmentEventChanges"];
            };
        };
        DepartmentDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "department.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "department.delete";
                resource: {
                    /** @constant */
                    type: "department";
                    uniqueId: string;
                };
                changes: components["schemas"]["DepartmentEventFields"];
            };
        };
        GapEventFields: {
            /** Format: int32 */
            id?: number;
            framework?: unknown;
            title?: string | components["schemas"]["Truncated"];
            archivedAt?: unknown;
        };
        GapEventChanges: {
            id?: {
                /** Format: int32 */
                from: number;
                /** Format: int32 */
                to: number;
            };
            framework?: {
                from: unknown;
                to: unknown;
            };
            title?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            archivedAt?: {
                from: unknown;
                to: unknown;
            };
        };
        GapCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "gap.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "gap.create";
                resource: {
                    /** @constant */
                    type: "gap";
                    uniqueId: string;
                };
                changes: components["schemas"]["GapEventFields"];
            };
        };
        GapUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "gap.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "gap.update";
                resource: {
                    /** @constant */
                    type: "gap";
                    uniqueId: string;
                };
                changes: components["schemas"]["GapEventChanges"];
            };
        };
        GapDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "gap.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "gap.delete";
                resource: {
                    /** @constant */
                    type: "gap";
                    uniqueId: string;
                };
                changes: components["schemas"]["GapEventFields"];
            };
        };
        ApiKeyEventFields: {
            /** Format: uuid */
            uniqueId?: string;
            user?: components["schemas"]["Actor"];
            name?: string | components["schemas"]["Truncated"];
            /** Format: date-time */
            rotatedUntil?: string | null;
            start?: string | components["schemas"]["Truncated"];
            last4?: string | components["schemas"]["Truncated"];
            scopes?: ("task:read" | "task:write" | "task:delete" | "vendor:read" | "vendor:write" | "vendor:delete" | "audit:read" | "webhook:manage")[] | components["schemas"]["Truncated"];
            frameworks?: (number[] | null) | components["schemas"]["Truncated"];
            cidrs?: (string[] | null) | components["schemas"]["Truncated"];
            enabled?: boolean;
            /** Format: date-time */
            expiresAt?: string | null;
            /** Format: date-time */
            revokedAt?: string | null;
            /** Format: date-time */
            leakedAt?: string | null;
            leakedUrl?: (string | null) | components["schemas"]["Truncated"];
            /** Format: date-time */
            createdAt?: string;
        };
        ApiKeyEventChanges: {
            uniqueId?: {
                /** Format: uuid */
                from: string;
                /** Format: uuid */
                to: string;
            };
            user?: {
                from: components["schemas"]["Actor"];
                to: components["schemas"]["Actor"];
            };
            name?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            rotatedUntil?: {
                /** Format: date-time */
                from: string | null;
                /** Format: date-time */
                to: string | null;
            };
            start?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            last4?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            scopes?: {
                from: ("task:read" | "task:write" | "task:delete" | "vendor:read" | "vendor:write" | "vendor:delete" | "audit:read" | "webhook:manage")[] | components["schemas"]["Truncated"];
                to: ("task:read" | "task:write" | "task:delete" | "vendor:read" | "vendor:write" | "vendor:delete" | "audit:read" | "webhook:manage")[] | components["schemas"]["Truncated"];
            };
            frameworks?: {
                from: (number[] | null) | components["schemas"]["Truncated"];
                to: (number[] | null) | components["schemas"]["Truncated"];
            };
            cidrs?: {
                from: (string[] | null) | components["schemas"]["Truncated"];
                to: (string[] | null) | components["schemas"]["Truncated"];
            };
            enabled?: {
                from: boolean;
                to: boolean;
            };
            expiresAt?: {
                /** Format: date-time */
                from: string | null;
                /** Format: date-time */
                to: string | null;
            };
            revokedAt?: {
                /** Format: date-time */
                from: string | null;
                /** Format: date-time */
                to: string | null;
            };
            leakedAt?: {
                /** Format: date-time */
                from: string | null;
                /** Format: date-time */
                to: string | null;
            };
            leakedUrl?: {
                from: (string | null) | components["schemas"]["Truncated"];
                to: (string | null) | components["schemas"]["Truncated"];
            };
            createdAt?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
        };
        ApiKeyCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "api_key.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "apiKey.create";
                resource: {
                    /** @constant */
                    type: "apiKey";
                    uniqueId: string;
                };
                changes: components["schemas"]["ApiKeyEventFields"];
            };
        };
        ApiKeyUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "api_key.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "apiKey.update";
                resource: {
                    /** @constant */
                    type: "apiKey";
                    uniqueId: string;
                };
                changes: components["schemas"]["ApiKeyEventChanges"];
            };
        };
        ApiKeyDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "api_key.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "apiKey.delete";
                resource: {
                    /** @constant */
                    type: "apiKey";
                    uniqueId: string;
                };
                changes: components["schemas"]["ApiKeyEventFields"];
            };
        };
        ApiKeyRotateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "api_key.rotate";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "apiKey.rotate";
                resource: {
                    /** @constant */
                    type: "apiKey";
                    uniqueId: string;
                };
                changes: components["schemas"]["ApiKeyEventChanges"];
            };
        };
        ApiKeyRevokeEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "api_key.revoke";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "apiKey.revoke";
                resource: {
                    /** @constant */
                    type: "apiKey";
                    uniqueId: string;
                };
                changes: components["schemas"]["ApiKeyEventChanges"];
            };
        };
        TaskEventFields: {
            /** Format: uuid */
            uniqueId?: string;
            /** Format: int32 */
            framework?: number;
            title?: string | components["schemas"]["Truncated"];
            description?: string | components["schemas"]["Truncated"];
            /** Format: int32 */
            priority?: number;
            labels?: string[] | components["schemas"]["Truncated"];
            /** Format: date */
            startDate?: string | null;
            /** Format: date */
            dueDate?: string | null;
            /** Format: int32 */
            departmentId?: number | null;
            gaps?: number[] | components["schemas"]["Truncated"];
            /** @enum {string} */
            status?: "todo" | "in_progress" | "in_review" | "done" | "not_applicable" | "canceled";
            externalIds?: components["schemas"]["ExternalId"][] | components["schemas"]["Truncated"];
            /** Format: date-time */
            createdAt?: string;
            /** Format: date-time */
            updatedAt?: string;
            createdBy?: components["schemas"]["Actor"];
            updatedBy?: components["schemas"]["Actor"];
            /** Format: int32 */
            version?: number;
        };
        TaskEventChanges: {
            uniqueId?: {
                /** Format: uuid */
                from: string;
                /** Format: uuid */
                to: string;
            };
            framework?: {
                /** Format: int32 */
                from: number;
                /** Format: int32 */
                to: number;
            };
            title?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            description?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            priority?: {
                /** Format: int32 */
                from: number;
                /** Format: int32 */
                to: number;
            };
            labels?: {
                from: string[] | components["schemas"]["Truncated"];
                to: string[] | components["schemas"]["Truncated"];
            };
            startDate?: {
                /** Format: date */
                from: string | null;
                /** Format: date */
                to: string | null;
            };
            dueDate?: {
                /** Format: date */
                from: string | null;
                /** Format: date */
                to: string | null;
            };
            departmentId?: {
                /** Format: int32 */
                from: number | null;
                /** Format: int32 */
                to: number | null;
            };
            gaps?: {
                from: number[] | components["schemas"]["Truncated"];
                to: number[] | components["schemas"]["Truncated"];
            };
            status?: {
                /** @enum {string} */
                from: "todo" | "in_progress" | "in_review" | "done" | "not_applicable" | "canceled";
                /** @enum {string} */
                to: "todo" | "in_progress" | "in_review" | "done" | "not_applicable" | "canceled";
            };
            externalIds?: {
                from: components["schemas"]["ExternalId"][] | components["schemas"]["Truncated"];
                to: components["schemas"]["ExternalId"][] | components["schemas"]["Truncated"];
            };
            createdAt?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            updatedAt?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            createdBy?: {
                from: components["schemas"]["Actor"];
                to: components["schemas"]["Actor"];
            };
            updatedBy?: {
                from: components["schemas"]["Actor"];
                to: components["schemas"]["Actor"];
            };
            version?: {
                /** Format: int32 */
                from: number;
                /** Format: int32 */
                to: number;
            };
        };
        TaskCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "task.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "task.create";
                resource: {
                    /** @constant */
                    type: "task";
                    uniqueId: string;
                };
                changes: components["schemas"]["TaskEventFields"];
            };
        };
        TaskUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "task.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "task.update";
                resource: {
                    /** @constant */
                    type: "task";
                    uniqueId: string;
                };
                changes: components["schemas"]["TaskEventChanges"];
            };
        };
        TaskDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "task.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "task.delete";
                resource: {
                    /** @constant */
                    type: "task";
                    uniqueId: string;
                };
                changes: components["schemas"]["TaskEventFields"];
            };
        };
        VendorEventFields: {
            /** Format: uuid */
            uniqueId?: string;
            name?: string | components["schemas"]["Truncated"];
            /** @enum {string} */
            status?: "active" | "inactive" | "archived";
            description?: string | components["schemas"]["Truncated"];
            externalIds?: components["schemas"]["ExternalId"][] | components["schemas"]["Truncated"];
            /** Format: date-time */
            createdAt?: string;
            /** Format: date-time */
            updatedAt?: string;
            createdBy?: components["schemas"]["Actor"];
            updatedBy?: components["schemas"]["Actor"];
            /** Format: int32 */
            version?: number;
            active?: boolean;
        };
        VendorEventChanges: {
            uniqueId?: {
                /** Format: uuid */
                from: string;
                /** Format: uuid */
                to: string;
            };
            name?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            status?: {
                /** @enum {string} */
                from: "active" | "inactive" | "archived";
                /** @enum {string} */
                to: "active" | "inactive" | "archived";
            };
            description?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            externalIds?: {
                from: components["schemas"]["ExternalId"][] | components["schemas"]["Truncated"];
                to: components["schemas"]["ExternalId"][] | components["schemas"]["Truncated"];
            };
            createdAt?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            updatedAt?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            createdBy?: {
                from: components["schemas"]["Actor"];
                to: components["schemas"]["Actor"];
            };
            updatedBy?: {
                from: components["schemas"]["Actor"];
                to: components["schemas"]["Actor"];
            };
            version?: {
                /** Format: int32 */
                from: number;
                /** Format: int32 */
                to: number;
            };
        };
        VendorCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "vendor.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "vendor.create";
                resource: {
                    /** @constant */
                    type: "vendor";
                    uniqueId: string;
                };
                changes: components["schemas"]["VendorEventFields"];
            };
        };
        VendorUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "vendor.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "vendor.update";
                resource: {
                    /** @constant */
                    type: "vendor";
                    uniqueId: string;
                };
                changes: components["schemas"]["VendorEventChanges"];
            };
        };
        VendorDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "vendor.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "vendor.delete";
                resource: {
                    /** @constant */
                    type: "vendor";
                    uniqueId: string;
                };
                changes: components["schemas"]["VendorEventFields"];
            };
        };
        MemberEventFields: {
            uniqueId?: unknown;
            person?: unknown;
            role?: unknown;
            frameworks?: unknown;
            endedAt?: unknown;
            createdAt?: unknown;
            singleSignOn?: unknown;
        };
        MemberEventChanges: {
            uniqueId?: {
                from: unknown;
                to: unknown;
            };
            person?: {
                from: unknown;
                to: unknown;
            };
            role?: {
                from: unknown;
                to: unknown;
            };
            frameworks?: {
                from: unknown;
                to: unknown;
            };
            endedAt?: {
                from: unknown;
                to: unknown;
            };
            createdAt?: {
                from: unknown;
                to: unknown;
            };
            singleSignOn?: {
                from: unknown;
                to: unknown;
            };
        };
        MemberCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "member.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "member.create";
                resource: {
                    /** @constant */
                    type: "member";
                    uniqueId: string;
                };
                changes: components["schemas"]["MemberEventFields"];
            };
        };
        MemberUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "member.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "member.update";
                resource: {
                    /** @constant */
                    type: "member";
                    uniqueId: string;
                };
                changes: components["schemas"]["MemberEventChanges"];
            };
        };
        MemberDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "member.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "member.delete";
                resource: {
                    /** @constant */
                    type: "member";
                    uniqueId: string;
                };
                changes: components["schemas"]["MemberEventFields"];
            };
        };
        InvitationEventFields: {
            uniqueId?: unknown;
            email?: unknown;
            role?: unknown;
            frameworks?: unknown;
            expiresAt?: unknown;
            revokedAt?: unknown;
            createdAt?: unknown;
        };
        InvitationEventChanges: {
            uniqueId?: {
                from: unknown;
                to: unknown;
            };
            email?: {
                from: unknown;
                to: unknown;
            };
            role?: {
                from: unknown;
                to: unknown;
            };
            frameworks?: {
                from: unknown;
                to: unknown;
            };
            expiresAt?: {
                from: unknown;
                to: unknown;
            };
            revokedAt?: {
                from: unknown;
                to: unknown;
            };
            createdAt?: {
                from: unknown;
                to: unknown;
            };
        };
        InvitationCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "invitation.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "invitation.create";
                resource: {
                    /** @constant */
                    type: "invitation";
                    uniqueId: string;
                };
                changes: components["schemas"]["InvitationEventFields"];
            };
        };
        InvitationRevokeEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "invitation.revoke";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "invitation.revoke";
                resource: {
                    /** @constant */
                    type: "invitation";
                    uniqueId: string;
                };
                changes: components["schemas"]["InvitationEventChanges"];
            };
        };
        SsoEventChanges: {
            issuer?: {
                from: unknown;
                to: unknown;
            };
            clientId?: {
                from: unknown;
                to: unknown;
            };
            secretChangedAt?: {
                from: unknown;
                to: unknown;
            };
            domains?: {
                from: unknown;
                to: unknown;
            };
            confirmedDomains?: {
                from: unknown;
                to: unknown;
            };
            required?: {
                from: unknown;
                to: unknown;
            };
            role?: {
                from: unknown;
                to: unknown;
            };
            trustEmail?: {
                from: unknown;
                to: unknown;
            };
        };
        SsoUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "sso.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "sso.update";
                resource: {
                    /** @constant */
                    type: "sso";
                    uniqueId: string;
                };
                changes: components["schemas"]["SsoEventChanges"];
            };
        };
        WebhookEventFields: {
            /** Format: uuid */
            uniqueId?: string;
            url?: string | components["schemas"]["Truncated"];
            events?: (string[] | null) | components["schemas"]["Truncated"];
            description?: string | components["schemas"]["Truncated"];
            enabled?: boolean;
            /** @enum {string|null} */
            disabledReason?: "manual" | "gone" | "failing" | "key" | null;
            rotatedUntil?: unknown;
            apiKey?: unknown;
            /** Format: date-time */
            createdAt?: string;
            /** Format: date-time */
            updatedAt?: string;
            createdBy?: unknown;
        };
        WebhookEventChanges: {
            uniqueId?: {
                /** Format: uuid */
                from: string;
                /** Format: uuid */
                to: string;
            };
            url?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            events?: {
                from: (string[] | null) | components["schemas"]["Truncated"];
                to: (string[] | null) | components["schemas"]["Truncated"];
            };
            description?: {
                from: string | components["schemas"]["Truncated"];
                to: string | components["schemas"]["Truncated"];
            };
            enabled?: {
                from: boolean;
                to: boolean;
            };
            disabledReason?: {
                /** @enum {string|null} */
                from: "manual" | "gone" | "failing" | "key" | null;
                /** @enum {string|null} */
                to: "manual" | "gone" | "failing" | "key" | null;
            };
            rotatedUntil?: {
                from: unknown;
                to: unknown;
            };
            apiKey?: {
                from: unknown;
                to: unknown;
            };
            createdAt?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            updatedAt?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            createdBy?: {
                from: unknown;
                to: unknown;
            };
        };
        WebhookCreateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "webhook.create";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "webhook.create";
                resource: {
                    /** @constant */
                    type: "webhook";
                    uniqueId: string;
                };
                changes: components["schemas"]["WebhookEventFields"];
            };
        };
        WebhookUpdateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "webhook.update";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "webhook.update";
                resource: {
                    /** @constant */
                    type: "webhook";
                    uniqueId: string;
                };
                changes: components["schemas"]["WebhookEventChanges"];
            };
        };
        WebhookDeleteEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "webhook.delete";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "webhook.delete";
                resource: {
                    /** @constant */
                    type: "webhook";
                    uniqueId: string;
                };
                changes: components["schemas"]["WebhookEventFields"];
            };
        };
        WebhookRotateEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "webhook.rotate";
            /** Format: int64 */
            sequence: number;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "webhook.rotate";
                resource: {
                    /** @constant */
                    type: "webhook";
                    uniqueId: string;
                };
                changes: components["schemas"]["WebhookEventChanges"];
            };
        };
        WebhookTestEvent: components["schemas"]["WebhookEvent"] & {
            /** @constant */
            type: "webhook.test";
            sequence: null;
            data: components["schemas"]["AuditEvent"] & {
                /** @constant */
                action: "webhook.test";
                resource: {
                    /** @constant */
                    type: "webhook";
                    uniqueId: string;
                };
                changes: Record<string, never>;
            };
        };
    };
    responses: {
        /** @description Malformed JSON, or a missing, unknown or invalid field or parameter */
        400: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The API key is missing, invalid, disabled, expired or revoked */
        401: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The API key lacks a scope, or is not allowed for this framework or client address */
        403: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unknown path, or no resource with this id in the company of the API key */
        404: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The status does not allow the transition, the external id is taken or reserved, or a request with this `Idempotency-Key` is in progress */
        409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The cursor is from a time that the database lost when it was restored */
        410: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The entity tag of the resource is not in `If-Match`, or the resource exists despite `If-None-Match: *` */
        412: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is larger than the operation allows */
        413: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The `Content-Type` is not one that the operation takes */
        415: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A referenced id is unknown or unusable, fields contradict each other, or the `Idempotency-Key` belongs to a different request */
        422: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The API key exceeded its rate limit, or too many attempts from this address failed */
        429: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal error of the service */
        500: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database is unavailable, or the service is overloaded */
        503: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
         * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
         */
        "X-Request-Id": string;
        /**
         * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
         * @example "3-5f1d7c0a"
         */
        "If-Match": string;
        /**
         * @description A list of entity tags, or `*`. If the resource has one of them, the response is 304. Ignored with `asOf`.
         * @example "3-5f1d7c0a"
         */
        "If-None-Match": string;
        /**
         * @description `*` only creates: if the resource exists, the response is 412 and nothing changes.
         * @example *
         */
        CreateOnly: "*";
        /**
         * @description `return=representation` returns the updated resource (RFC 7240).
         * @example return=representation
         */
        Prefer: string;
        /**
         * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
         * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
         */
        "Idempotency-Key": string;
        /**
         * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
         * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
         */
        "webhook-id": string;
        /**
         * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
         * @example 1795256102
         */
        "webhook-timestamp": string;
        /**
         * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Id of the request, as in the audit log
         * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
         */
        "X-Request-Id": string;
        /**
         * @description Origin of the page that sent the request, if `CORS_ORIGINS` has it
         * @example https://app.example.com
         */
        "Access-Control-Allow-Origin": string;
        /**
         * @description Machine-readable reason of the error
         * @example invalid_request
         */
        "X-Error-Code": "invalid_request" | "malformed_json" | "unauthorized" | "key_disabled" | "key_expired" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_conflict" | "cursor_lost" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "rate_limited" | "internal" | "unavailable";
        /**
         * @description Path of the created resource
         * @example /external/smart-inventory/vendor/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071/item
         */
        Location: string;
        /**
         * @description Number of matching items on all pages
         * @example 1
         */
        "X-Total-Count": number;
        /**
         * @description Next page, as `rel="next"`; absent if there is none
         * @example </external/smart-inventory/vendor/list?limit=50&cursor=c2VhbGVkIGFuZCBzaG9ydGVuZWQ>; rel="next"
         */
        Link: string;
        /**
         * @description Entity tag of the resource, for `If-Match` and `If-None-Match`; absent with `asOf`
         * @example "3-5f1d7c0a"
         */
        ETag: string;
        /**
         * @description Effect of the request
         * @example created
         */
        "X-Upsert": "created" | "updated" | "unchanged";
        /**
         * @description The request was checked only (`dryRun=true`)
         * @example true
         */
        "X-Dry-Run": "true";
        /**
         * @description File name of an export as CSV
         * @example attachment; filename="vendors.csv"
         */
        "Content-Disposition": string;
        /**
         * @description Preference of `Prefer` that was applied
         * @example return=representation
         */
        "Preference-Applied": string;
        /**
         * @description The response is a replay: the request was executed before
         * @example true
         */
        "Idempotency-Replayed": "true";
        /**
         * @description Authentication scheme
         * @example ApiKey realm="external", header="X-API-Key"
         */
        "WWW-Authenticate": string;
        /**
         * @description Seconds to wait before a retry; with every 429 and 503, and with 409 `idempotency_conflict`
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description Rate limit of the API key: `q` requests in `w` seconds; absent without a limit
         * @example "default";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Remaining requests: `r` for the next `t` seconds; absent without a limit
         * @example "default";r=599;t=60
         */
        RateLimit: string;
        /**
         * @description Expiry of the API key; sent from 14 days before it
         * @example 2027-01-31T00:00:00.000Z
         */
        "X-API-Key-Expires": string;
        /**
         * @description The API key was rotated. This is the expiry of the previous secret, which the request used.
         * @example 2027-01-31T00:00:00.000Z
         */
        "X-API-Key-Rotated": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTasks: {
        parameters: {
            query?: {
                /**
                 * @description Statuses of the tasks, separated by commas; `open` means todo, in_progress, in_review
                 * @example open
                 */
                status?: string;
                /**
                 * @description Priorities of the tasks, separated by commas: 1 urgent, 2 high, 3 medium, 4 low
                 * @example 1,2
                 */
                priority?: string | number;
                /**
                 * @description A whole label, ignoring case
                 * @example access
                 */
                label?: string;
                /**
                 * @description Department of the tasks
                 * @example 1
                 */
                departmentId?: number;
                /**
                 * @description Last dueDate, included
                 * @example 2026-12-31
                 */
                dueBefore?: string;
                /**
                 * @description First dueDate, included
                 * @example 2026-12-31
                 */
                dueAfter?: string;
                /**
                 * @description First updatedAt, included
                 * @example 2026-06-30T12:00:00Z
                 */
                updatedSince?: string;
                /**
                 * @description Part of the title, ignoring case
                 * @example review
                 */
                q?: string;
                /**
                 * @description Order of the tasks, descending with `-`, then by uniqueId in the same direction. Tasks without a due date come last.
                 * @example -createdAt
                 */
                sort?: "-createdAt" | "createdAt" | "dueDate" | "-dueDate" | "priority" | "-updatedAt";
                /**
                 * @description Maximum number of items in a page; without it tasks are only counted; required with `cursor`
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the previous page; requires the same filters
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
                /**
                 * @description Only with `Accept: text/csv` or `application/x-ndjson`: adds `externalId`, the id in this source
                 * @example servicenow
                 */
                source?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Framework ID, found in the framework manager of the application
                 * @example 1
                 */
                framework: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskList"];
                    /**
                     * @example uniqueId,framework,title,description,priority,labels,startDate,dueDate,departmentId,gaps,status,externalIds,createdAt,updatedAt,createdBy,updatedBy,version
                     *     019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071,1,Review access rights,<p>With the owner of each system.</p>,2,"[""access"",""quarterly""]",2026-12-01,2026-12-31,,[],todo,[],2026-11-21T09:30:00.000Z,2026-11-21T09:30:00.000Z,Ticket sync,Ticket sync,1
                     */
                    "text/csv": string;
                    /** @example {"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071","framework":1,"title":"Review access rights","description":"<p>With the owner of each system.</p>","priority":2,"labels":["access","quarterly"],"startDate":"2026-12-01","dueDate":"2026-12-31","departmentId":null,"gaps":[],"status":"todo","externalIds":[],"createdAt":"2026-11-21T09:30:00.000Z","updatedAt":"2026-11-21T09:30:00.000Z","createdBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"updatedBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"version":1} */
                    "application/x-ndjson": unknown;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createTask: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Framework ID, found in the framework manager of the application
                 * @example 1
                 */
                framework: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Review access rights",
                 *       "description": "<p>With the owner of each system.</p>",
                 *       "priority": 2,
                 *       "labels": [
                 *         "access",
                 *         "quarterly"
                 *       ],
                 *       "startDate": "2026-12-01",
                 *       "dueDate": "2026-12-31"
                 *     }
                 */
                "application/json": components["schemas"]["NewTask"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
                     *       "framework": 1,
                     *       "title": "Review access rights",
                     *       "description": "<p>With the owner of each system.</p>",
                     *       "priority": 2,
                     *       "labels": [
                     *         "access",
                     *         "quarterly"
                     *       ],
                     *       "startDate": "2026-12-01",
                     *       "dueDate": "2026-12-31",
                     *       "departmentId": null,
                     *       "gaps": [],
                     *       "status": "todo",
                     *       "externalIds": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    importTasks: {
        parameters: {
            query?: {
                /**
                 * @description Checks every row and counts as if it was applied, but writes nothing
                 * @example false
                 */
                dryRun?: boolean;
                /**
                 * @description One bad row makes the import fail before anything is written
                 * @example false
                 */
                strict?: boolean;
                /**
                 * @description Fields of an existing item that are missing or empty in a row: `replace` gives them their default, `merge` keeps their value
                 * @example replace
                 */
                mode?: "replace" | "merge";
                /**
                 * @description Source of the column `externalId`. Each row then creates or updates the item with this id.
                 * @example servicenow
                 */
                source?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Framework ID, found in the framework manager of the application
                 * @example 1
                 */
                framework: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example externalId,title,priority,status
                 *     CTL-7,Review access rights,2,todo
                 */
                "text/csv": string;
                /** @example {"externalId":"CTL-7","title":"Review access rights","priority":2,"status":"todo"} */
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075",
                     *       "kind": "vendor",
                     *       "framework": null,
                     *       "dryRun": true,
                     *       "state": "queued",
                     *       "rows": 0,
                     *       "created": 0,
                     *       "updated": 0,
                     *       "unchanged": 0,
                     *       "failed": 0,
                     *       "reason": null,
                     *       "errors": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "startedAt": null,
                     *       "endedAt": null,
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getTask: {
        parameters: {
            query?: {
                /**
                 * @description Returns the task as it was at this time. Requires the scope `audit:read` too.
                 * @example 2026-06-30T12:00:00Z
                 */
                asOf?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has one of them, the response is 304. Ignored with `asOf`.
                 * @example "3-5f1d7c0a"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The task’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
                 */
                taskUniqueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
                     *       "framework": 1,
                     *       "title": "Review access rights",
                     *       "description": "<p>With the owner of each system.</p>",
                     *       "priority": 2,
                     *       "labels": [
                     *         "access",
                     *         "quarterly"
                     *       ],
                     *       "startDate": "2026-12-01",
                     *       "dueDate": "2026-12-31",
                     *       "departmentId": null,
                     *       "gaps": [],
                     *       "status": "todo",
                     *       "externalIds": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Not modified, without a body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getTaskHistory: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in a page; 50 by default
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the previous page; requires the same filters
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The task’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
                 */
                taskUniqueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "uniqueId": "019a2b65-803e-7a11-9c2d-5e6f70818293",
                     *           "occurredAt": "2026-11-21T10:15:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17",
                     *           "action": "task.update",
                     *           "resource": {
                     *             "type": "task",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
                     *           },
                     *           "changes": {
                     *             "priority": {
                     *               "from": 2,
                     *               "to": 1
                     *             },
                     *             "dueDate": {
                     *               "from": "2026-12-31",
                     *               "to": null
                     *             },
                     *             "status": {
                     *               "from": "todo",
                     *               "to": "in_progress"
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081",
                     *           "occurredAt": "2026-11-21T09:30:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1",
                     *           "action": "task.create",
                     *           "resource": {
                     *             "type": "task",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
                     *           },
                     *           "changes": {
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
                     *             "framework": 1,
                     *             "title": "Review access rights",
                     *             "description": "<p>With the owner of each system.</p>",
                     *             "priority": 2,
                     *             "labels": [
                     *               "access",
                     *               "quarterly"
                     *             ],
                     *             "startDate": "2026-12-01",
                     *             "dueDate": "2026-12-31",
                     *             "departmentId": null,
                     *             "gaps": [],
                     *             "status": "todo",
                     *             "externalIds": [],
                     *             "createdAt": "2026-11-21T09:30:00.000Z",
                     *             "updatedAt": "2026-11-21T09:30:00.000Z",
                     *             "createdBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "updatedBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "version": 1
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEvents"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateTask: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The task’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
                 */
                taskUniqueId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "priority": 1,
                 *       "dueDate": null,
                 *       "status": "in_progress"
                 *     }
                 */
                "application/json": components["schemas"]["TaskChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
                     *       "framework": 1,
                     *       "title": "Review access rights",
                     *       "description": "<p>With the owner of each system.</p>",
                     *       "priority": 1,
                     *       "labels": [
                     *         "access",
                     *         "quarterly"
                     *       ],
                     *       "startDate": "2026-12-01",
                     *       "dueDate": null,
                     *       "departmentId": null,
                     *       "gaps": [],
                     *       "status": "in_progress",
                     *       "externalIds": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T10:15:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getTaskByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has one of them, the response is 304. Ignored with `asOf`.
                 * @example "3-5f1d7c0a"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Framework ID, found in the framework manager of the application
                 * @example 1
                 */
                framework: number;
                /**
                 * @description The other system, for example the name of a tool
                 * @example servicenow
                 */
                source: string;
                /**
                 * @description Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.
                 * @example VEN-0042
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073",
                     *       "framework": 1,
                     *       "title": "Renew the certificate",
                     *       "description": "",
                     *       "priority": 2,
                     *       "labels": [],
                     *       "startDate": null,
                     *       "dueDate": null,
                     *       "departmentId": null,
                     *       "gaps": [],
                     *       "status": "todo",
                     *       "externalIds": [
                     *         {
                     *           "source": "servicenow",
                     *           "externalId": "VEN-0042"
                     *         }
                     *       ],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Not modified, without a body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    putTaskByExternalId: {
        parameters: {
            query?: {
                /**
                 * @description `replace` sets fields that are not sent to their default, `merge` keeps their value
                 * @example replace
                 */
                mode?: "replace" | "merge";
                /**
                 * @description `false` responds 404 if the object does not exist
                 * @example true
                 */
                create?: boolean;
                /**
                 * @description `true` creates a new object if the one with this id was deleted
                 * @example false
                 */
                recreate?: boolean;
                /**
                 * @description `true` makes all checks and writes nothing
                 * @example false
                 */
                dryRun?: boolean;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description `*` only creates: if the resource exists, the response is 412 and nothing changes.
                 * @example *
                 */
                "If-None-Match"?: components["parameters"]["CreateOnly"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Framework ID, found in the framework manager of the application
                 * @example 1
                 */
                framework: number;
                /**
                 * @description The other system, for example the name of a tool
                 * @example servicenow
                 */
                source: string;
                /**
                 * @description Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.
                 * @example VEN-0042
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Renew the certificate",
                 *       "priority": 2
                 *     }
                 */
                "application/json": components["schemas"]["PutTaskByExternalId"];
            };
        };
        responses: {
            /** @description Updated, or unchanged */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "X-Upsert": components["headers"]["X-Upsert"];
                    "X-Dry-Run": components["headers"]["X-Dry-Run"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073",
                     *       "framework": 1,
                     *       "title": "Renew the certificate",
                     *       "description": "",
                     *       "priority": 2,
                     *       "labels": [],
                     *       "startDate": null,
                     *       "dueDate": null,
                     *       "departmentId": null,
                     *       "gaps": [],
                     *       "status": "todo",
                     *       "externalIds": [
                     *         {
                     *           "source": "servicenow",
                     *           "externalId": "VEN-0042"
                     *         }
                     *       ],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "X-Upsert": components["headers"]["X-Upsert"];
                    "X-Dry-Run": components["headers"]["X-Dry-Run"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073",
                     *       "framework": 1,
                     *       "title": "Renew the certificate",
                     *       "description": "",
                     *       "priority": 2,
                     *       "labels": [],
                     *       "startDate": null,
                     *       "dueDate": null,
                     *       "departmentId": null,
                     *       "gaps": [],
                     *       "status": "todo",
                     *       "externalIds": [
                     *         {
                     *           "source": "servicenow",
                     *           "externalId": "VEN-0042"
                     *         }
                     *       ],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteTaskByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Framework ID, found in the framework manager of the application
                 * @example 1
                 */
                framework: number;
                /**
                 * @description The other system, for example the name of a tool
                 * @example servicenow
                 */
                source: string;
                /**
                 * @description Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.
                 * @example VEN-0042
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    linkTask: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The task’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
                 */
                taskUniqueId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "source": "jira",
                 *       "externalId": "SEC-1"
                 *     }
                 */
                "application/json": components["schemas"]["LinkTask"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073",
                     *       "framework": 1,
                     *       "title": "Renew the certificate",
                     *       "description": "",
                     *       "priority": 2,
                     *       "labels": [],
                     *       "startDate": null,
                     *       "dueDate": null,
                     *       "departmentId": null,
                     *       "gaps": [],
                     *       "status": "todo",
                     *       "externalIds": [
                     *         {
                     *           "source": "servicenow",
                     *           "externalId": "VEN-0042"
                     *         },
                     *         {
                     *           "source": "jira",
                     *           "externalId": "SEC-1"
                     *         }
                     *       ],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T10:15:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteTask: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The task’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
                 */
                taskUniqueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    batchTasks: {
        parameters: {
            query?: {
                /**
                 * @description `true` makes all checks and writes nothing
                 * @example false
                 */
                dryRun?: boolean;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "op": "create",
                 *           "framework": 1,
                 *           "body": {
                 *             "title": "Renew the certificate",
                 *             "priority": 2
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchTasks"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "X-Dry-Run": components["headers"]["X-Dry-Run"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "succeeded": 1,
                     *       "failed": 0,
                     *       "results": [
                     *         {
                     *           "index": 0,
                     *           "status": 201,
                     *           "item": {
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073",
                     *             "framework": 1,
                     *             "title": "Renew the certificate",
                     *             "description": "",
                     *             "priority": 2,
                     *             "labels": [],
                     *             "startDate": null,
                     *             "dueDate": null,
                     *             "departmentId": null,
                     *             "gaps": [],
                     *             "status": "todo",
                     *             "externalIds": [],
                     *             "createdAt": "2026-11-21T09:30:00.000Z",
                     *             "updatedAt": "2026-11-21T09:30:00.000Z",
                     *             "createdBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "updatedBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "version": 1
                     *           },
                     *           "etag": "1-5f0c2a91"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TaskBatchResults"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listVendors: {
        parameters: {
            query?: {
                /**
                 * @description Status of the vendor
                 * @example active
                 */
                status?: "active" | "inactive" | "archived";
                /**
                 * @description Part of the name, ignoring case
                 * @example cloud
                 */
                q?: string;
                /**
                 * @description First updatedAt, included
                 * @example 2026-06-30T12:00:00Z
                 */
                updatedSince?: string;
                /**
                 * @description `full` returns whole vendors; requires `limit`, at most 100
                 * @example full
                 */
                view?: "full";
                /**
                 * @description Maximum number of items in a page; all of them without it; required with `cursor`
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the previous page; requires the same filters
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
                /**
                 * @description Only with `Accept: text/csv` or `application/x-ndjson`: adds `externalId`, the id in this source
                 * @example servicenow
                 */
                source?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Link: components["headers"]["Link"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedVendor"][] | components["schemas"]["Vendor"][];
                    /**
                     * @example uniqueId,name,status,active,description,externalIds,createdAt,updatedAt,createdBy,updatedBy,version
                     *     019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072,Cloud Ltd,active,true,<p>Hosts our <b>production</b>.</p>,[],2026-11-21T09:30:00.000Z,2026-11-21T09:30:00.000Z,Ticket sync,Ticket sync,1
                     */
                    "text/csv": string;
                    /** @example {"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072","name":"Cloud Ltd","status":"active","active":true,"description":"<p>Hosts our <b>production</b>.</p>","externalIds":[],"createdAt":"2026-11-21T09:30:00.000Z","updatedAt":"2026-11-21T09:30:00.000Z","createdBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"updatedBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"version":1} */
                    "application/x-ndjson": unknown;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createVendor: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Cloud Ltd",
                 *       "description": "<p>Hosts our <b>production</b>.</p>",
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["NewVendor"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072",
                     *       "name": "Cloud Ltd",
                     *       "status": "active",
                     *       "active": true,
                     *       "description": "<p>Hosts our <b>production</b>.</p>",
                     *       "externalIds": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Vendor"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    importVendors: {
        parameters: {
            query?: {
                /**
                 * @description Checks every row and counts as if it was applied, but writes nothing
                 * @example false
                 */
                dryRun?: boolean;
                /**
                 * @description One bad row makes the import fail before anything is written
                 * @example false
                 */
                strict?: boolean;
                /**
                 * @description Fields of an existing item that are missing or empty in a row: `replace` gives them their default, `merge` keeps their value
                 * @example replace
                 */
                mode?: "replace" | "merge";
                /**
                 * @description Source of the column `externalId`. Each row then creates or updates the item with this id.
                 * @example servicenow
                 */
                source?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example externalId,name,status
                 *     VEN-0042,Cloud Ltd,active
                 */
                "text/csv": string;
                /** @example {"externalId":"VEN-0042","name":"Cloud Ltd","status":"active"} */
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075",
                     *       "kind": "vendor",
                     *       "framework": null,
                     *       "dryRun": true,
                     *       "state": "queued",
                     *       "rows": 0,
                     *       "created": 0,
                     *       "updated": 0,
                     *       "unchanged": 0,
                     *       "failed": 0,
                     *       "reason": null,
                     *       "errors": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "startedAt": null,
                     *       "endedAt": null,
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getVendor: {
        parameters: {
            query?: {
                /**
                 * @description Returns the vendor as it was at this time. Requires the scope `audit:read` too.
                 * @example 2026-06-30T12:00:00Z
                 */
                asOf?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has one of them, the response is 304. Ignored with `asOf`.
                 * @example "3-5f1d7c0a"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The vendor’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072
                 */
                vendor: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072",
                     *       "name": "Cloud Ltd",
                     *       "status": "active",
                     *       "active": true,
                     *       "description": "<p>Hosts our <b>production</b>.</p>",
                     *       "externalIds": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Vendor"];
                };
            };
            /** @description Not modified, without a body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getVendorHistory: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in a page; 50 by default
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the previous page; requires the same filters
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The vendor’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072
                 */
                vendor: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "uniqueId": "019a2b65-803e-7a11-9c2d-5e6f70818294",
                     *           "occurredAt": "2026-11-21T10:15:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590",
                     *           "action": "vendor.update",
                     *           "resource": {
                     *             "type": "vendor",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"
                     *           },
                     *           "changes": {
                     *             "name": {
                     *               "from": "Cloud Ltd",
                     *               "to": "Cloud Inc"
                     *             },
                     *             "status": {
                     *               "from": "active",
                     *               "to": "inactive"
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082",
                     *           "occurredAt": "2026-11-21T09:30:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48",
                     *           "action": "vendor.create",
                     *           "resource": {
                     *             "type": "vendor",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"
                     *           },
                     *           "changes": {
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072",
                     *             "name": "Cloud Ltd",
                     *             "status": "active",
                     *             "active": true,
                     *             "description": "<p>Hosts our <b>production</b>.</p>",
                     *             "externalIds": [],
                     *             "createdAt": "2026-11-21T09:30:00.000Z",
                     *             "updatedAt": "2026-11-21T09:30:00.000Z",
                     *             "createdBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "updatedBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "version": 1
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEvents"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateVendor: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description `return=representation` returns the updated resource (RFC 7240).
                 * @example return=representation
                 */
                Prefer?: components["parameters"]["Prefer"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The vendor’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072
                 */
                vendor: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Cloud Inc",
                 *       "active": false
                 *     }
                 */
                "application/json": components["schemas"]["VendorChanges"];
            };
        };
        responses: {
            /** @description Success, with the updated resource */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072",
                     *       "name": "Cloud Inc",
                     *       "status": "inactive",
                     *       "active": false,
                     *       "description": "<p>Hosts our <b>production</b>.</p>",
                     *       "externalIds": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T10:15:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Vendor"];
                };
            };
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getVendorByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has one of them, the response is 304. Ignored with `asOf`.
                 * @example "3-5f1d7c0a"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The other system, for example the name of a tool
                 * @example servicenow
                 */
                source: string;
                /**
                 * @description Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.
                 * @example VEN-0042
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074",
                     *       "name": "Hosting Ltd",
                     *       "status": "active",
                     *       "active": true,
                     *       "description": "",
                     *       "externalIds": [
                     *         {
                     *           "source": "servicenow",
                     *           "externalId": "VEN-0042"
                     *         }
                     *       ],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Vendor"];
                };
            };
            /** @description Not modified, without a body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    putVendorByExternalId: {
        parameters: {
            query?: {
                /**
                 * @description `replace` sets fields that are not sent to their default, `merge` keeps their value
                 * @example replace
                 */
                mode?: "replace" | "merge";
                /**
                 * @description `false` responds 404 if the object does not exist
                 * @example true
                 */
                create?: boolean;
                /**
                 * @description `true` creates a new object if the one with this id was deleted
                 * @example false
                 */
                recreate?: boolean;
                /**
                 * @description `true` makes all checks and writes nothing
                 * @example false
                 */
                dryRun?: boolean;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description `*` only creates: if the resource exists, the response is 412 and nothing changes.
                 * @example *
                 */
                "If-None-Match"?: components["parameters"]["CreateOnly"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The other system, for example the name of a tool
                 * @example servicenow
                 */
                source: string;
                /**
                 * @description Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.
                 * @example VEN-0042
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Hosting Ltd"
                 *     }
                 */
                "application/json": components["schemas"]["PutVendorByExternalId"];
            };
        };
        responses: {
            /** @description Updated, or unchanged */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "X-Upsert": components["headers"]["X-Upsert"];
                    "X-Dry-Run": components["headers"]["X-Dry-Run"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074",
                     *       "name": "Hosting Ltd",
                     *       "status": "active",
                     *       "active": true,
                     *       "description": "",
                     *       "externalIds": [
                     *         {
                     *           "source": "servicenow",
                     *           "externalId": "VEN-0042"
                     *         }
                     *       ],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Vendor"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "X-Upsert": components["headers"]["X-Upsert"];
                    "X-Dry-Run": components["headers"]["X-Dry-Run"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074",
                     *       "name": "Hosting Ltd",
                     *       "status": "active",
                     *       "active": true,
                     *       "description": "",
                     *       "externalIds": [
                     *         {
                     *           "source": "servicenow",
                     *           "externalId": "VEN-0042"
                     *         }
                     *       ],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Vendor"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteVendorByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The other system, for example the name of a tool
                 * @example servicenow
                 */
                source: string;
                /**
                 * @description Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.
                 * @example VEN-0042
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    linkVendor: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The vendor’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072
                 */
                vendor: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "source": "jira",
                 *       "externalId": "SEC-1"
                 *     }
                 */
                "application/json": components["schemas"]["LinkVendor"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074",
                     *       "name": "Hosting Ltd",
                     *       "status": "active",
                     *       "active": true,
                     *       "description": "",
                     *       "externalIds": [
                     *         {
                     *           "source": "servicenow",
                     *           "externalId": "VEN-0042"
                     *         },
                     *         {
                     *           "source": "jira",
                     *           "externalId": "SEC-1"
                     *         }
                     *       ],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T10:15:00.000Z",
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "updatedBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Vendor"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteVendor: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The vendor’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072
                 */
                vendor: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    batchVendors: {
        parameters: {
            query?: {
                /**
                 * @description `true` makes all checks and writes nothing
                 * @example false
                 */
                dryRun?: boolean;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "op": "create",
                 *           "body": {
                 *             "name": "Hosting Ltd"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchVendors"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "X-Dry-Run": components["headers"]["X-Dry-Run"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "succeeded": 1,
                     *       "failed": 0,
                     *       "results": [
                     *         {
                     *           "index": 0,
                     *           "status": 201,
                     *           "item": {
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074",
                     *             "name": "Hosting Ltd",
                     *             "status": "active",
                     *             "active": true,
                     *             "description": "",
                     *             "externalIds": [],
                     *             "createdAt": "2026-11-21T09:30:00.000Z",
                     *             "updatedAt": "2026-11-21T09:30:00.000Z",
                     *             "createdBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "updatedBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "version": 1
                     *           },
                     *           "etag": "1-5f0c2a91"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["VendorBatchResults"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listFrameworks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "ISO 27001",
                     *         "archived": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Framework"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listGaps: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Framework of the gaps
                 * @example 1
                 */
                framework: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "title": "No access review",
                     *         "archived": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Gap"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listDepartments: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "Security",
                     *         "archived": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Department"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The import’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075
                 */
                importUniqueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075",
                     *       "kind": "vendor",
                     *       "framework": null,
                     *       "dryRun": true,
                     *       "state": "queued",
                     *       "rows": 0,
                     *       "created": 0,
                     *       "updated": 0,
                     *       "unchanged": 0,
                     *       "failed": 0,
                     *       "reason": null,
                     *       "errors": [],
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "startedAt": null,
                     *       "endedAt": null,
                     *       "createdBy": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listImportErrors: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in a page; 100 by default
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the previous page; requires the same filters
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The import’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075
                 */
                importUniqueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "row": 2,
                     *           "line": 3,
                     *           "field": "name",
                     *           "error": "name: required"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ImportErrors"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    cancelImport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The import’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075
                 */
                importUniqueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getOwnApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *       "name": "Ticket sync",
                     *       "start": "svc_sk_live_7Hq2",
                     *       "last4": "3kZd",
                     *       "user": {
                     *         "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *         "name": "Ticket sync",
                     *         "kind": "integration"
                     *       },
                     *       "scopes": [
                     *         "task:read",
                     *         "task:write",
                     *         "task:delete",
                     *         "vendor:read",
                     *         "vendor:write",
                     *         "vendor:delete",
                     *         "audit:read"
                     *       ],
                     *       "frameworks": [
                     *         1
                     *       ],
                     *       "cidrs": [
                     *         "192.0.2.0/24"
                     *       ],
                     *       "enabled": true,
                     *       "expiresAt": null,
                     *       "revokedAt": null,
                     *       "rotatedUntil": null,
                     *       "leakedAt": null,
                     *       "leakedUrl": null,
                     *       "lastUsedAt": "2026-11-21T09:30:00.000Z",
                     *       "createdAt": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /**
                 * @description Events of resources of this type
                 * @example company
                 */
                resourceType?: "company" | "framework" | "department" | "gap" | "apiKey" | "task" | "vendor" | "member" | "invitation" | "sso" | "webhook";
                /**
                 * @description uniqueId or id of the resource
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
                 */
                resourceId?: string;
                /**
                 * @description uniqueId of the user
                 * @example 019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51
                 */
                actor?: string;
                /**
                 * @description Events with this action
                 * @example company.create
                 */
                action?: "company.create" | "company.update" | "company.delete" | "framework.create" | "framework.update" | "framework.delete" | "department.create" | "department.update" | "department.delete" | "gap.create" | "gap.update" | "gap.delete" | "apiKey.create" | "apiKey.update" | "apiKey.delete" | "apiKey.rotate" | "apiKey.revoke" | "task.create" | "task.update" | "task.delete" | "vendor.create" | "vendor.update" | "vendor.delete" | "member.create" | "member.update" | "member.delete" | "invitation.create" | "invitation.revoke" | "sso.update" | "webhook.create" | "webhook.update" | "webhook.delete" | "webhook.rotate";
                /**
                 * @description Start of the period, included
                 * @example 2026-06-30T12:00:00Z
                 */
                since?: string;
                /**
                 * @description End of the period, not included
                 * @example 2026-06-30T12:00:00Z
                 */
                until?: string;
                /**
                 * @description Maximum number of items in a page; 50 by default
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the previous page; requires the same filters
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "uniqueId": "019a2b65-803e-7a11-9c2d-5e6f70818294",
                     *           "occurredAt": "2026-11-21T10:15:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590",
                     *           "action": "vendor.update",
                     *           "resource": {
                     *             "type": "vendor",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"
                     *           },
                     *           "changes": {
                     *             "name": {
                     *               "from": "Cloud Ltd",
                     *               "to": "Cloud Inc"
                     *             },
                     *             "status": {
                     *               "from": "active",
                     *               "to": "inactive"
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "uniqueId": "019a2b65-803e-7a11-9c2d-5e6f70818293",
                     *           "occurredAt": "2026-11-21T10:15:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17",
                     *           "action": "task.update",
                     *           "resource": {
                     *             "type": "task",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
                     *           },
                     *           "changes": {
                     *             "priority": {
                     *               "from": 2,
                     *               "to": 1
                     *             },
                     *             "dueDate": {
                     *               "from": "2026-12-31",
                     *               "to": null
                     *             },
                     *             "status": {
                     *               "from": "todo",
                     *               "to": "in_progress"
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082",
                     *           "occurredAt": "2026-11-21T09:30:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48",
                     *           "action": "vendor.create",
                     *           "resource": {
                     *             "type": "vendor",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"
                     *           },
                     *           "changes": {
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072",
                     *             "name": "Cloud Ltd",
                     *             "status": "active",
                     *             "active": true,
                     *             "description": "<p>Hosts our <b>production</b>.</p>",
                     *             "externalIds": [],
                     *             "createdAt": "2026-11-21T09:30:00.000Z",
                     *             "updatedAt": "2026-11-21T09:30:00.000Z",
                     *             "createdBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "updatedBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "version": 1
                     *           }
                     *         },
                     *         {
                     *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081",
                     *           "occurredAt": "2026-11-21T09:30:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1",
                     *           "action": "task.create",
                     *           "resource": {
                     *             "type": "task",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
                     *           },
                     *           "changes": {
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
                     *             "framework": 1,
                     *             "title": "Review access rights",
                     *             "description": "<p>With the owner of each system.</p>",
                     *             "priority": 2,
                     *             "labels": [
                     *               "access",
                     *               "quarterly"
                     *             ],
                     *             "startDate": "2026-12-01",
                     *             "dueDate": "2026-12-31",
                     *             "departmentId": null,
                     *             "gaps": [],
                     *             "status": "todo",
                     *             "externalIds": [],
                     *             "createdAt": "2026-11-21T09:30:00.000Z",
                     *             "updatedAt": "2026-11-21T09:30:00.000Z",
                     *             "createdBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "updatedBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "version": 1
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEvents"];
                    /**
                     * @example {"uniqueId":"019a2b65-803e-7a11-9c2d-5e6f70818294","occurredAt":"2026-11-21T10:15:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590","action":"vendor.update","resource":{"type":"vendor","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"},"changes":{"name":{"from":"Cloud Ltd","to":"Cloud Inc"},"status":{"from":"active","to":"inactive"}}}
                     *     {"uniqueId":"019a2b65-803e-7a11-9c2d-5e6f70818293","occurredAt":"2026-11-21T10:15:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17","action":"task.update","resource":{"type":"task","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"},"changes":{"priority":{"from":2,"to":1},"dueDate":{"from":"2026-12-31","to":null},"status":{"from":"todo","to":"in_progress"}}}
                     *     {"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082","occurredAt":"2026-11-21T09:30:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48","action":"vendor.create","resource":{"type":"vendor","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"},"changes":{"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072","name":"Cloud Ltd","status":"active","active":true,"description":"<p>Hosts our <b>production</b>.</p>","externalIds":[],"createdAt":"2026-11-21T09:30:00.000Z","updatedAt":"2026-11-21T09:30:00.000Z","createdBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"updatedBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"version":1}}
                     *     {"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081","occurredAt":"2026-11-21T09:30:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1","action":"task.create","resource":{"type":"task","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"},"changes":{"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071","framework":1,"title":"Review access rights","description":"<p>With the owner of each system.</p>","priority":2,"labels":["access","quarterly"],"startDate":"2026-12-01","dueDate":"2026-12-31","departmentId":null,"gaps":[],"status":"todo","externalIds":[],"createdAt":"2026-11-21T09:30:00.000Z","updatedAt":"2026-11-21T09:30:00.000Z","createdBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"updatedBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"version":1}}
                     */
                    "application/x-ndjson": unknown;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listChanges: {
        parameters: {
            query?: {
                /**
                 * @description `cursor` of the previous response; without it the feed starts at the first event
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
                /**
                 * @description Maximum number of events; 100 by default
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Seconds to wait for an event if there is none; 0 by default
                 * @example 20
                 */
                wait?: number;
                /**
                 * @description `now` returns only a cursor, after which the events from now on follow
                 * @example now
                 */
                from?: "now";
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081",
                     *           "occurredAt": "2026-11-21T09:30:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1",
                     *           "action": "task.create",
                     *           "resource": {
                     *             "type": "task",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
                     *           },
                     *           "changes": {
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
                     *             "framework": 1,
                     *             "title": "Review access rights",
                     *             "description": "<p>With the owner of each system.</p>",
                     *             "priority": 2,
                     *             "labels": [
                     *               "access",
                     *               "quarterly"
                     *             ],
                     *             "startDate": "2026-12-01",
                     *             "dueDate": "2026-12-31",
                     *             "departmentId": null,
                     *             "gaps": [],
                     *             "status": "todo",
                     *             "externalIds": [],
                     *             "createdAt": "2026-11-21T09:30:00.000Z",
                     *             "updatedAt": "2026-11-21T09:30:00.000Z",
                     *             "createdBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "updatedBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "version": 1
                     *           },
                     *           "sequence": 6,
                     *           "deleted": false
                     *         },
                     *         {
                     *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082",
                     *           "occurredAt": "2026-11-21T09:30:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48",
                     *           "action": "vendor.create",
                     *           "resource": {
                     *             "type": "vendor",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"
                     *           },
                     *           "changes": {
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072",
                     *             "name": "Cloud Ltd",
                     *             "status": "active",
                     *             "active": true,
                     *             "description": "<p>Hosts our <b>production</b>.</p>",
                     *             "externalIds": [],
                     *             "createdAt": "2026-11-21T09:30:00.000Z",
                     *             "updatedAt": "2026-11-21T09:30:00.000Z",
                     *             "createdBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "updatedBy": {
                     *               "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *               "name": "Ticket sync",
                     *               "kind": "integration"
                     *             },
                     *             "version": 1
                     *           },
                     *           "sequence": 7,
                     *           "deleted": false
                     *         },
                     *         {
                     *           "uniqueId": "019a2b65-803e-7a11-9c2d-5e6f70818293",
                     *           "occurredAt": "2026-11-21T10:15:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17",
                     *           "action": "task.update",
                     *           "resource": {
                     *             "type": "task",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
                     *           },
                     *           "changes": {
                     *             "priority": {
                     *               "from": 2,
                     *               "to": 1
                     *             },
                     *             "dueDate": {
                     *               "from": "2026-12-31",
                     *               "to": null
                     *             },
                     *             "status": {
                     *               "from": "todo",
                     *               "to": "in_progress"
                     *             }
                     *           },
                     *           "sequence": 8,
                     *           "deleted": false
                     *         },
                     *         {
                     *           "uniqueId": "019a2b65-803e-7a11-9c2d-5e6f70818294",
                     *           "occurredAt": "2026-11-21T10:15:00.000Z",
                     *           "actor": {
                     *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                     *             "name": "Ticket sync",
                     *             "kind": "integration"
                     *           },
                     *           "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                     *           "requestId": "e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590",
                     *           "action": "vendor.update",
                     *           "resource": {
                     *             "type": "vendor",
                     *             "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"
                     *           },
                     *           "changes": {
                     *             "name": {
                     *               "from": "Cloud Ltd",
                     *               "to": "Cloud Inc"
                     *             },
                     *             "status": {
                     *               "from": "active",
                     *               "to": "inactive"
                     *             }
                     *           },
                     *           "sequence": 9,
                     *           "deleted": false
                     *         }
                     *       ],
                     *       "cursor": "c2VhbGVkIGFuZCBzaG9ydGVuZWQ",
                     *       "more": false
                     *     }
                     */
                    "application/json": components["schemas"]["Changes"];
                    /**
                     * @example {"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081","occurredAt":"2026-11-21T09:30:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1","action":"task.create","resource":{"type":"task","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"},"changes":{"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071","framework":1,"title":"Review access rights","description":"<p>With the owner of each system.</p>","priority":2,"labels":["access","quarterly"],"startDate":"2026-12-01","dueDate":"2026-12-31","departmentId":null,"gaps":[],"status":"todo","externalIds":[],"createdAt":"2026-11-21T09:30:00.000Z","updatedAt":"2026-11-21T09:30:00.000Z","createdBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"updatedBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"version":1},"sequence":6,"deleted":false}
                     *     {"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082","occurredAt":"2026-11-21T09:30:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48","action":"vendor.create","resource":{"type":"vendor","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"},"changes":{"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072","name":"Cloud Ltd","status":"active","active":true,"description":"<p>Hosts our <b>production</b>.</p>","externalIds":[],"createdAt":"2026-11-21T09:30:00.000Z","updatedAt":"2026-11-21T09:30:00.000Z","createdBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"updatedBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"version":1},"sequence":7,"deleted":false}
                     *     {"uniqueId":"019a2b65-803e-7a11-9c2d-5e6f70818293","occurredAt":"2026-11-21T10:15:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17","action":"task.update","resource":{"type":"task","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"},"changes":{"priority":{"from":2,"to":1},"dueDate":{"from":"2026-12-31","to":null},"status":{"from":"todo","to":"in_progress"}},"sequence":8,"deleted":false}
                     *     {"uniqueId":"019a2b65-803e-7a11-9c2d-5e6f70818294","occurredAt":"2026-11-21T10:15:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590","action":"vendor.update","resource":{"type":"vendor","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"},"changes":{"name":{"from":"Cloud Ltd","to":"Cloud Inc"},"status":{"from":"active","to":"inactive"}},"sequence":9,"deleted":false}
                     *     {"cursor":"c2VhbGVkIGFuZCBzaG9ydGVuZWQ"}
                     */
                    "application/x-ndjson": unknown;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            410: components["responses"]["410"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/compliance",
                 *       "events": [
                 *         "task.*",
                 *         "vendor.update"
                 *       ],
                 *       "description": "Ticket sync"
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076",
                     *       "url": "https://hooks.example.com/compliance",
                     *       "events": [
                     *         "task.*",
                     *         "vendor.update"
                     *       ],
                     *       "description": "Ticket sync",
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwTzQmuzKJK8s="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in a page; 50 by default
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the previous page; requires the same filters
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076",
                     *           "url": "https://hooks.example.com/compliance",
                     *           "events": [
                     *             "task.*",
                     *             "vendor.update"
                     *           ],
                     *           "description": "Ticket sync",
                     *           "enabled": true,
                     *           "disabledReason": null,
                     *           "createdAt": "2026-11-21T09:30:00.000Z",
                     *           "updatedAt": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Webhooks"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The endpoint’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
                 */
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076",
                     *       "url": "https://hooks.example.com/compliance",
                     *       "events": [
                     *         "task.*",
                     *         "vendor.update"
                     *       ],
                     *       "description": "Ticket sync",
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The endpoint’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
                 */
                webhook: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/compliance",
                 *       "events": [
                 *         "task.*",
                 *         "vendor.update"
                 *       ],
                 *       "description": "Ticket sync",
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["WebhookChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076",
                     *       "url": "https://hooks.example.com/compliance",
                     *       "events": [
                     *         "task.*",
                     *         "vendor.update"
                     *       ],
                     *       "description": "Ticket sync",
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-11-21T09:30:00.000Z",
                     *       "updatedAt": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The endpoint’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
                 */
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 0
                 *     }
                 */
                "application/json": components["schemas"]["RotateWebhookSecret"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwTzQmuzKJK8s="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The endpoint’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
                 */
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted, without a body */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in a page; 50 by default
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the previous page; requires the same filters
                 * @example c2VhbGVkIGFuZCBzaG9ydGVuZWQ
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The endpoint’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
                 */
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6077",
                     *           "sequence": 42,
                     *           "type": "task.create",
                     *           "attempts": 1,
                     *           "lastStatus": 200,
                     *           "lastError": null,
                     *           "nextAttemptAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveries"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    replayWebhookEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The endpoint’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
                 */
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-11-21T09:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ReplayWebhookEvents"];
            };
        };
        responses: {
            /** @description Accepted, without a body */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes.
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.
                 * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The endpoint’s uniqueId
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076
                 */
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    receiveCompanyCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompanyCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveCompanyUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompanyUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveCompanyDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompanyDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveFrameworkCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FrameworkCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveFrameworkUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FrameworkUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveFrameworkDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FrameworkDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveDepartmentCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepartmentCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveDepartmentUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepartmentUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveDepartmentDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepartmentDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveGapCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GapCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveGapUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GapUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveGapDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GapDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveApiKeyCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveApiKeyUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveApiKeyDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveApiKeyRotateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveApiKeyRevokeEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRevokeEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTaskCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "task.create",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "sequence": 6,
                 *       "data": {
                 *         "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081",
                 *         "occurredAt": "2026-11-21T09:30:00.000Z",
                 *         "actor": {
                 *           "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                 *           "name": "Ticket sync",
                 *           "kind": "integration"
                 *         },
                 *         "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                 *         "requestId": "7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1",
                 *         "action": "task.create",
                 *         "resource": {
                 *           "type": "task",
                 *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
                 *         },
                 *         "changes": {
                 *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
                 *           "framework": 1,
                 *           "title": "Review access rights",
                 *           "description": "<p>With the owner of each system.</p>",
                 *           "priority": 2,
                 *           "labels": [
                 *             "access",
                 *             "quarterly"
                 *           ],
                 *           "startDate": "2026-12-01",
                 *           "dueDate": "2026-12-31",
                 *           "departmentId": null,
                 *           "gaps": [],
                 *           "status": "todo",
                 *           "externalIds": [],
                 *           "createdAt": "2026-11-21T09:30:00.000Z",
                 *           "updatedAt": "2026-11-21T09:30:00.000Z",
                 *           "createdBy": {
                 *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                 *             "name": "Ticket sync",
                 *             "kind": "integration"
                 *           },
                 *           "updatedBy": {
                 *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                 *             "name": "Ticket sync",
                 *             "kind": "integration"
                 *           },
                 *           "version": 1
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TaskCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTaskUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "task.update",
                 *       "timestamp": "2026-11-21T10:15:00.000Z",
                 *       "sequence": 8,
                 *       "data": {
                 *         "uniqueId": "019a2b65-803e-7a11-9c2d-5e6f70818293",
                 *         "occurredAt": "2026-11-21T10:15:00.000Z",
                 *         "actor": {
                 *           "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                 *           "name": "Ticket sync",
                 *           "kind": "integration"
                 *         },
                 *         "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                 *         "requestId": "b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17",
                 *         "action": "task.update",
                 *         "resource": {
                 *           "type": "task",
                 *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
                 *         },
                 *         "changes": {
                 *           "priority": {
                 *             "from": 2,
                 *             "to": 1
                 *           },
                 *           "dueDate": {
                 *             "from": "2026-12-31",
                 *             "to": null
                 *           },
                 *           "status": {
                 *             "from": "todo",
                 *             "to": "in_progress"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TaskUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTaskDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveVendorCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "vendor.create",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "sequence": 7,
                 *       "data": {
                 *         "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082",
                 *         "occurredAt": "2026-11-21T09:30:00.000Z",
                 *         "actor": {
                 *           "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                 *           "name": "Ticket sync",
                 *           "kind": "integration"
                 *         },
                 *         "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                 *         "requestId": "0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48",
                 *         "action": "vendor.create",
                 *         "resource": {
                 *           "type": "vendor",
                 *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"
                 *         },
                 *         "changes": {
                 *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072",
                 *           "name": "Cloud Ltd",
                 *           "status": "active",
                 *           "active": true,
                 *           "description": "<p>Hosts our <b>production</b>.</p>",
                 *           "externalIds": [],
                 *           "createdAt": "2026-11-21T09:30:00.000Z",
                 *           "updatedAt": "2026-11-21T09:30:00.000Z",
                 *           "createdBy": {
                 *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                 *             "name": "Ticket sync",
                 *             "kind": "integration"
                 *           },
                 *           "updatedBy": {
                 *             "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                 *             "name": "Ticket sync",
                 *             "kind": "integration"
                 *           },
                 *           "version": 1
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["VendorCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveVendorUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "vendor.update",
                 *       "timestamp": "2026-11-21T10:15:00.000Z",
                 *       "sequence": 9,
                 *       "data": {
                 *         "uniqueId": "019a2b65-803e-7a11-9c2d-5e6f70818294",
                 *         "occurredAt": "2026-11-21T10:15:00.000Z",
                 *         "actor": {
                 *           "uniqueId": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51",
                 *           "name": "Ticket sync",
                 *           "kind": "integration"
                 *         },
                 *         "apiKey": "019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50",
                 *         "requestId": "e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590",
                 *         "action": "vendor.update",
                 *         "resource": {
                 *           "type": "vendor",
                 *           "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"
                 *         },
                 *         "changes": {
                 *           "name": {
                 *             "from": "Cloud Ltd",
                 *             "to": "Cloud Inc"
                 *           },
                 *           "status": {
                 *             "from": "active",
                 *             "to": "inactive"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["VendorUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveVendorDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VendorDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveMemberCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveMemberUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveMemberDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveInvitationCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveInvitationRevokeEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationRevokeEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSsoUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SsoUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookCreateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookCreateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookUpdateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookUpdateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookDeleteEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookDeleteEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookRotateEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRotateEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookTestEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on each attempt and replay. Skip an id that you have processed.
                 * @example 019a2b65-803e-7a11-9c2d-5e6f70818293
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.
                 * @example 1795256102
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description Disables the endpoint */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
