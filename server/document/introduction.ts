/** What the API is called, in the document and in the window of a browser. */
export const TITLE = 'Compliance Task and Vendor Inventory API';

/** What a newcomer reads first, at the head of the document and of the page made from it. */
export const INTRODUCTION = `Keep a company's compliance tasks and its vendors from a program of yours.

### Your first request

You need an API key. An admin of your company makes one; it is shown once and looks like \`svc_sk_live_…\`.
Send it in the header \`X-API-Key\`, and the answer is yours:

\`\`\`sh
API=https://…            # the address of this page, without /docs
KEY=svc_sk_live_…
curl -H "X-API-Key: $KEY" $API/external/smart-inventory/vendor/list
\`\`\`

The key says which company you act for, so no path and no body names one. Whatever you do is recorded as done by the
key's own integration user. \`GET /external/api-key/whoami\` shows what your key may do. On this page: put the key into
**Authentication**, pick an operation, press **Test Request**.

### Writing

Bodies are JSON objects, sent with \`Content-Type: application/json\`, at most 256 KiB. JSON is strict: \`"3"\` is no number,
and a field that is not known is refused. A PATCH changes the fields that it names and leaves the others; where nothing
changes, nothing is written. A creation answers 201 with the path of what was created in \`Location\`.

Send an \`Idempotency-Key\`, a name of your choice for the request, and you may repeat it for 24 hours: it is carried out once.
Send the \`ETag\` of what you have read as \`If-Match\`, and it is changed only if nobody else has changed it since (else 412).

### When it goes wrong

Every error is \`{"error": "<message>"}\`. The message is for a person and names the field:
\`priority: expected an integer from 1 to 4\`. Machines read the status and the header \`X-Error-Code\`.

| status | what to do |
|---|---|
| 400, 413, 415, 422 | mend the request; the same again fails again |
| 401 | check the key: missing, mistyped, disabled, expired or revoked |
| 403 | ask your admin: the key lacks the scope, the framework or the address |
| 404 | no such path, or no such id in your company |
| 405 | use a verb that \`Allow\` names |
| 409 | read the resource again: its state does not permit this; with \`idempotency_conflict\`, wait for \`Retry-After\` seconds |
| 412 | read the resource again: it has changed since |
| 429 | wait for \`Retry-After\` seconds |
| 500, 503 | ours; try again after \`Retry-After\` seconds, and tell us the \`X-Request-Id\` |

Send \`Accept: application/problem+json\`, and errors are problem details of RFC 9457 that carry \`error\` as well.

Every answer carries \`X-Request-Id\`. Send one of your own and it is kept, and stands in the audit trail.

### Lists

Filters narrow a list, all of them together, and the total with it: \`?status=todo&dueBefore=2026-12-31\`. \`X-Total-Count\`
tells how many tasks or vendors match, on all pages.

A page is up to \`?limit=\` items and answers \`{"items": […], "nextCursor": …}\`. Ask again with \`?cursor=\` and the \`nextCursor\`
you were given, with the same filters, until it is null. A cursor fits no other list and no other filters. Without \`limit\`,
tasks are only counted, and the vendors come all at once. The list of vendors is a bare array always: its next page is in \`Link\`.

### How much you may ask

A key may make so many requests a minute as \`RateLimit-Policy\` says: \`"default";q=600;w=60\` is 600 in 60 seconds. \`RateLimit\`
tells what is left: \`"default";r=599;t=60\` is 599 requests for the next 60 seconds. Beyond that the answer is 429.

### Asking again

GET, PATCH and DELETE may be repeated as they are: after a cut you see a 404 for what is deleted already, and a change to
the same values changes nothing. A POST that was cut may have been carried out: with the same \`Idempotency-Key\` it is safe
to send again, and answered as it was; without one, look first.

Moments are ISO 8601 with \`Z\` or an offset, and are answered in UTC. HEAD answers wherever GET does.`;

/** What the operations are about, in the order of the document. */
export const TAGS = [
  { name: 'Tasks', description: 'Compliance tasks, each of one framework.' },
  { name: 'Vendors', description: 'The smart inventory: whom the company buys from.' },
  { name: 'Audit', description: 'What happened, by whom, when and with which key. Nothing of it can be changed.' },
  { name: 'API keys', description: 'What the key that asks is and may do.' },
];
