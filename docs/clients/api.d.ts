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
         * @description Their number; with `limit` a page of them too, newest first. Filters hold for both alike, all together. The framework is one that the key may touch, archived or not. Needs the scope `task:read`.
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
         * @description It begins as `todo`; another status is a change after that. Only the title is required. Needs the scope `task:write`.
         */
        post: operations["createTask"];
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
         * @description As it is, or as it was at a moment. Needs the scope `task:read`.
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
         * Read what happened to a task, newest first
         * @description Also of a task that is deleted. Needs the scope `audit:read`.
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
         * @description Fields that are not sent keep their value; null clears a date or the department. Of the statuses, `todo`, `in_progress` and `in_review` are open and go anywhere; `done`, `not_applicable` and `canceled` are closed and go back to `todo` only. Other fields may be changed in any status. Needs the scope `task:write`.
         */
        patch: operations["updateTask"];
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
         * @description Its history stays. Needs the scope `task:delete`.
         */
        delete: operations["deleteTask"];
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
         * @description All of the company, in the order of code points, unless `limit` is given: then a page, and the next one in `Link`. Needs the scope `vendor:read`.
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
         * @description Only the name is required. It need not be unique. Needs the scope `vendor:write`.
         */
        post: operations["createVendor"];
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
         * @description As it is, or as it was at a moment. Needs the scope `vendor:read`.
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
         * Read what happened to a vendor, newest first
         * @description Also of a vendor that is deleted. Needs the scope `audit:read`.
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
         * @description Fields that are not sent keep their value. `active` and `status` must agree where both are sent. Needs the scope `vendor:write`.
         */
        patch: operations["updateVendor"];
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
         * @description Its history stays. Needs the scope `vendor:delete`.
         */
        delete: operations["deleteVendor"];
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
         * Read the audit trail, newest first
         * @description With `Accept: application/x-ndjson` the answer is every event that matches, one on each line; it then takes no `limit` and no `cursor`. Needs the scope `audit:read`.
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
}
export type webhooks = Record<string, never>;
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
             * @description Tasks of the framework that match, on all pages
             */
            total: number;
            /** @description Newest first; only with `limit` */
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
             * @description uniqueId of the API key used, if one was
             * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
             */
            apiKey: string | null;
            /**
             * @description The type of the resource and what was done
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
                /** @enum {string} */
                type: "company" | "framework" | "department" | "gap" | "apiKey" | "task" | "vendor";
                uniqueId: string;
            };
            /**
             * @description `{field: {from, to}}` of what changed; the whole object for a creation or a deletion
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
            scopes: ("task:read" | "task:write" | "task:delete" | "vendor:read" | "vendor:write" | "vendor:delete" | "audit:read")[];
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
        /** @description What is wrong, for a person. It names the field. */
        Error: {
            /** @example priority: expected an integer from 1 to 4 */
            error: string;
        };
        /** @description Problem details of RFC 9457, for who asks for `application/problem+json`. */
        Problem: {
            /** @constant */
            type: "about:blank";
            /** @description The name of the status */
            title: string;
            /** Format: int32 */
            status: number;
            /** @description The same as `error` */
            detail: string;
            /**
             * Format: uri
             * @description The request id, where it is a UUID
             */
            instance?: string;
            /**
             * @description The same as `X-Error-Code`
             * @enum {string}
             */
            code: "invalid_request" | "malformed_json" | "unauthorized" | "key_disabled" | "key_expired" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "rate_limited" | "internal" | "unavailable";
            /** @description For a person; names the field */
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
             * @description All of them anew: at most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays.
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
             * @description Not before startDate, whichever of the two is sent
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
             * @description Ids of gaps of the same framework, all of them anew: each once, at most 100
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
            /** @description All of them anew: at most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays. */
            labels?: string[];
            /**
             * Format: date
             * @example 2026-12-31
             */
            startDate?: string | null;
            /**
             * Format: date
             * @description Not before startDate, whichever of the two is sent
             * @example 2026-12-31
             */
            dueDate?: string | null;
            /**
             * Format: int32
             * @description A department of the company that is not archived
             */
            departmentId?: number | null;
            /** @description Ids of gaps of the same framework, all of them anew: each once, at most 100 */
            gaps?: number[];
            /** @enum {string} */
            status?: "todo" | "in_progress" | "in_review" | "done" | "not_applicable" | "canceled";
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
    };
    responses: {
        /** @description Malformed JSON, a wrong type or value, a missing or unknown field */
        400: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The key is missing, invalid, disabled, expired or revoked */
        401: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Error-Code": components["headers"]["X-Error-Code"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key lacks the right to this, or may not be used for this framework or from this address */
        403: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description No such path, or no such id in the company of the key */
        404: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The state does not permit the transition, or a request with this `Idempotency-Key` is being carried out */
        409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The resource has none of the tags in `If-Match` */
        412: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The body is larger than 256 KiB */
        413: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The body is not `application/json` */
        415: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description Refers to what is not there or may not be used, breaks a rule over several fields, or the `Idempotency-Key` was used for another request */
        422: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The key has made too many requests, or too many attempts from this address have failed */
        429: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description A fault of the service */
        500: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The database cannot be reached, or the service is overloaded */
        503: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
         * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
         * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
         */
        "X-Request-Id": string;
        /**
         * @description An `ETag`, several, or `*`: the change is made only where the resource still has one of them, else 412
         * @example "3-5f1d7c0a"
         */
        "If-Match": string;
        /**
         * @description An `ETag`, several, or `*`: where the resource has one of them, the answer is 304. Not heeded for the past.
         * @example "3-5f1d7c0a"
         */
        "If-None-Match": string;
        /**
         * @description `return=representation` to be answered the resource as it is now: RFC 7240
         * @example return=representation
         */
        Prefer: string;
        /**
         * @description A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.
         * @example 6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44
         */
        "Idempotency-Key": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names this request, in the audit trail too
         * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
         */
        "X-Request-Id": string;
        /**
         * @description The reason, for machines
         * @example invalid_request
         */
        "X-Error-Code": "invalid_request" | "malformed_json" | "unauthorized" | "key_disabled" | "key_expired" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "rate_limited" | "internal" | "unavailable";
        /**
         * @description Path of what was created
         * @example /external/smart-inventory/vendor/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071/item
         */
        Location: string;
        /**
         * @description How many there are, on all pages
         * @example 1
         */
        "X-Total-Count": number;
        /**
         * @description The next page, as `rel="next"`; left out where there is none
         * @example </external/smart-inventory/vendor/list?limit=50&cursor=c2VhbGVkIGFuZCBzaG9ydGVuZWQ>; rel="next"
         */
        Link: string;
        /**
         * @description The state that the resource is in, for `If-Match` and `If-None-Match`; not of one in the past
         * @example "3-5f1d7c0a"
         */
        ETag: string;
        /**
         * @description The preference of `Prefer` that was heeded
         * @example return=representation
         */
        "Preference-Applied": string;
        /**
         * @description The request was carried out before, and this is how it was answered then
         * @example true
         */
        "Idempotency-Replayed": "true";
        /**
         * @description How to authenticate
         * @example ApiKey realm="external", header="X-API-Key"
         */
        "WWW-Authenticate": string;
        /**
         * @description Seconds after which to try again: with every 429 and 503, and with 409 `idempotency_conflict`
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description How many requests (`q`) a key may make in how many seconds (`w`); where there is a limit
         * @example "default";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description How many requests are left (`r`) for how many seconds (`t`); where there is a limit
         * @example "default";r=599;t=60
         */
        RateLimit: string;
        /**
         * @description When the key ends; from 14 days before that moment
         * @example 2027-01-31T00:00:00.000Z
         */
        "X-API-Key-Expires": string;
        /**
         * @description The key was rotated, and this old secret works until then
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
                 * @description Where the task stands
                 * @example todo
                 */
                status?: "todo" | "in_progress" | "in_review" | "done" | "not_applicable" | "canceled";
                /**
                 * @description 1 urgent, 2 high, 3 medium, 4 low
                 * @example 1
                 */
                priority?: number;
                /**
                 * @description One whole label, ignoring case
                 * @example access
                 */
                label?: string;
                /**
                 * @description Department that the tasks belong to
                 * @example 1
                 */
                departmentId?: number;
                /**
                 * @description The last dueDate, included
                 * @example 2026-12-31
                 */
                dueBefore?: string;
                /**
                 * @description The first dueDate, included
                 * @example 2026-12-31
                 */
                dueAfter?: string;
                /**
                 * @description The first updatedAt, included
                 * @example 2026-06-30T12:00:00Z
                 */
                updatedSince?: string;
                /**
                 * @description Text that the title contains, ignoring case
                 * @example review
                 */
                q?: string;
                /**
                 * @description Maximum number of items in a page; without it tasks are counted and not shown; required with `cursor`
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
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
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-API-Key-Expires": components["headers"]["X-API-Key-Expires"];
                    "X-API-Key-Rotated": components["headers"]["X-API-Key-Rotated"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskList"];
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.
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
    getTask: {
        parameters: {
            query?: {
                /**
                 * @description The task as it was at this moment; needs `audit:read` as well
                 * @example 2026-06-30T12:00:00Z
                 */
                asOf?: string;
            };
            header?: {
                /**
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description An `ETag`, several, or `*`: where the resource has one of them, the answer is 304. Not heeded for the past.
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
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
            /** @description It is as the client has it; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
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
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description An `ETag`, several, or `*`: the change is made only where the resource still has one of them, else 412
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.
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
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
    deleteTask: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description An `ETag`, several, or `*`: the change is made only where the resource still has one of them, else 412
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.
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
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
    listVendors: {
        parameters: {
            query?: {
                /**
                 * @description Where the vendor stands
                 * @example active
                 */
                status?: "active" | "inactive" | "archived";
                /**
                 * @description Text that the name contains, ignoring case
                 * @example cloud
                 */
                q?: string;
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
            };
            header?: {
                /**
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Link: components["headers"]["Link"];
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
                     *         "uniqueId": "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072",
                     *         "name": "Cloud Ltd",
                     *         "status": "active"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ListedVendor"][];
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.
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
    getVendor: {
        parameters: {
            query?: {
                /**
                 * @description The vendor as it was at this moment; needs `audit:read` as well
                 * @example 2026-06-30T12:00:00Z
                 */
                asOf?: string;
            };
            header?: {
                /**
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description An `ETag`, several, or `*`: where the resource has one of them, the answer is 304. Not heeded for the past.
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
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
            /** @description It is as the client has it; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
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
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description An `ETag`, several, or `*`: the change is made only where the resource still has one of them, else 412
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description `return=representation` to be answered the resource as it is now: RFC 7240
                 * @example return=representation
                 */
                Prefer?: components["parameters"]["Prefer"];
                /**
                 * @description A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.
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
            /** @description Done, and shown */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
    deleteVendor: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /**
                 * @description An `ETag`, several, or `*`: the change is made only where the resource still has one of them, else 412
                 * @example "3-5f1d7c0a"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.
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
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                 * @description Only of resources of this type
                 * @example company
                 */
                resourceType?: "company" | "framework" | "department" | "gap" | "apiKey" | "task" | "vendor";
                /**
                 * @description uniqueId or id of the resource
                 * @example 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071
                 */
                resourceId?: string;
                /**
                 * @description uniqueId of the user it is attributed to
                 * @example 019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51
                 */
                actor?: string;
                /**
                 * @description Only what was done so
                 * @example company.create
                 */
                action?: "company.create" | "company.update" | "company.delete" | "framework.create" | "framework.update" | "framework.delete" | "department.create" | "department.update" | "department.delete" | "gap.create" | "gap.update" | "gap.delete" | "apiKey.create" | "apiKey.update" | "apiKey.delete" | "apiKey.rotate" | "apiKey.revoke" | "task.create" | "task.update" | "task.delete" | "vendor.create" | "vendor.update" | "vendor.delete";
                /**
                 * @description The first moment, included
                 * @example 2026-06-30T12:00:00Z
                 */
                since?: string;
                /**
                 * @description The last moment, not included
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
                 * @description A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.
                 * @example b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                     *     {"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082","occurredAt":"2026-11-21T09:30:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48","action":"vendor.create","resource":{"type":"vendor","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072"},"changes":{"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072","name":"Cloud Ltd","status":"active","active":true,"description":"<p>Hosts our <b>production</b>.</p>","createdAt":"2026-11-21T09:30:00.000Z","updatedAt":"2026-11-21T09:30:00.000Z","createdBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"updatedBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"version":1}}
                     *     {"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081","occurredAt":"2026-11-21T09:30:00.000Z","actor":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"apiKey":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50","requestId":"7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1","action":"task.create","resource":{"type":"task","uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"},"changes":{"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071","framework":1,"title":"Review access rights","description":"<p>With the owner of each system.</p>","priority":2,"labels":["access","quarterly"],"startDate":"2026-12-01","dueDate":"2026-12-31","departmentId":null,"gaps":[],"status":"todo","createdAt":"2026-11-21T09:30:00.000Z","updatedAt":"2026-11-21T09:30:00.000Z","createdBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"updatedBy":{"uniqueId":"019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51","name":"Ticket sync","kind":"integration"},"version":1}}
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
}
