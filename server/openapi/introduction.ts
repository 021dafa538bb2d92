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
and a field that is not known is refused. A PATCH changes the fields that it names and leaves the others; an array, such as
\`labels\`, is replaced as a whole. Where nothing changes, nothing is written. A creation answers 201 with the path of what was
created in \`Location\`. A change of a vendor answers 204, or with \`Prefer: return=representation\` the vendor.

### What is stored

Names, titles and labels are trimmed. Lengths are counted after that, and as JavaScript counts them: \`😀\` is two. A description
without a \`<\` stays as it is. Any other is HTML and is sanitised: formatting, links, lists and tables stay; scripts, styles,
images and event handlers go, and \`&\`, \`<\` and \`>\` in its text become entities. What was sanitised once stays as it is. So compare
with what an answer shows, and not with what you sent.

### Sending it again

When an answer is lost, what you asked for may have been done. Send an \`Idempotency-Key\`, a name of your own for what you
intend, and write it down first: with the same name the same request is carried out once, and answered each time as it was
the first time, with \`Idempotency-Replayed: true\`, for 24 hours from then on.

- The name is your key's own, whatever the operation. Only the same request may use it again: the same method, path, JSON (in
  any order), \`If-Match\` and \`Prefer\`. Another one is 422; while the first is being carried out it is 409 with \`Retry-After\`.
- What is refused (4xx, 5xx) leaves the name free.
- A replay tells what was so then. What was created may be deleted by now: name what you intend, by a random UUID for example,
  and not the thing that it is about.

Without a name, a POST that was cut may have been carried out: look before you send it again. GET may always be repeated. So
may PATCH and DELETE, but a PATCH then overwrites what others wrote meanwhile, a DELETE answers 404, and one with \`If-Match\` may
meet its own first try, as 412. Where no \`Retry-After\` says how long, wait 1, 2, 4, … seconds.

### Changing what you have read

Whatever shows or changes one task or vendor answers its state in \`ETag\`. Send that as \`If-Match\` with a PATCH or DELETE: where
somebody has changed it since, the answer is 412, and nothing is written. Weak tags match nothing, \`*\` whatever is there. Lists have
no tags. Without \`If-Match\`, changes of different fields at the same time all stay. With \`If-None-Match\`, reading what has not
changed is 304.

### When it goes wrong

Every error is \`{"error": "<message>"}\`. The message is for a person and names the field:
\`priority: expected an integer from 1 to 4\`. Machines read the status and the header \`X-Error-Code\`.

| status | what to do |
|---|---|
| 400, 413, 415 | mend the request; the same again fails again |
| 401 | check the key: missing, mistyped, disabled, expired or revoked |
| 403 | ask your admin: the key lacks the scope, the framework or the address |
| 404 | no such path, or nothing with this id in your company |
| 405 | use a verb that \`Allow\` names |
| 409 | read the resource again: its state does not permit this; with \`idempotency_conflict\`, wait for \`Retry-After\` seconds |
| 412 | read the resource again: it has none of the tags that you sent |
| 422 | mend the request: it refers to what is not there, its fields disagree; with \`idempotency_conflict\`, choose a new \`Idempotency-Key\`, as this one was used for another request |
| 429 | wait for \`Retry-After\` seconds |
| 500 | ours: tell us the \`X-Request-Id\` |
| 503 | wait for \`Retry-After\` seconds |

Send \`Accept: application/problem+json\`, and errors are problem details of RFC 9457 that carry \`error\` as well.

Every answer carries \`X-Request-Id\`. Send one of your own and it is kept, and stands in the audit trail.

### Lists

Filters narrow a list, all of them together, and the total with it: \`?status=todo&dueBefore=2026-12-31\`. \`X-Total-Count\`
tells how many tasks or vendors match, on all pages.

A page is up to \`?limit=\` items and answers \`{"items": […], "nextCursor": …}\`. Ask again with \`limit\` and \`?cursor=\`, the
\`nextCursor\` that you were given, with the same filters to the letter, until it is null. Without \`limit\`, tasks are only counted,
and the vendors come all at once. The list of vendors is a bare array always: its next page is in \`Link\`. A cursor does not expire,
and what is there and matches from the first page to the last is met exactly once, whatever others write meanwhile.

### Keeping two sides equal

Know your own by a label of a task (the same in any case, and anybody may change it), or keep the \`uniqueId\` that a creation
answers. A task begins as \`todo\`; another status is a PATCH after that. \`?updatedSince=\` finds tasks that have changed: ask with the
greatest \`updatedAt\` that you have, less a minute, and skip the versions that you have. What is deleted is in no list, but in the
audit trail: \`GET /external/audit/list?action=task.delete&since=…\`.

### How much you may ask

A key may make so many requests a minute as \`RateLimit-Policy\` says: \`"default";q=600;w=60\` is 600 in 60 seconds. \`RateLimit\`
tells what is left: \`"default";r=599;t=60\` is 599 requests for the next 60 seconds. Beyond that the answer is 429. So are attempts
without a valid key, after 60 in a minute from one address.

### How it changes

What you use goes on working. New fields, headers and operations may come at any time; what is to go is announced at least 180 days
before, in \`Deprecation\` and \`Sunset\`, and is \`deprecated\` here.

Moments are ISO 8601 with \`Z\` or an offset, and are answered in UTC. HEAD answers wherever GET does.`;

/** What the operations are about, in the order of the document. */
export const TAGS = [
  { name: 'Tasks', description: 'Compliance tasks, each of one framework.' },
  { name: 'Vendors', description: 'The smart inventory: whom the company buys from.' },
  { name: 'Audit', description: 'What happened, by whom, when and with which key. Nothing of it can be changed.' },
  { name: 'API keys', description: 'What the key that asks is and may do.' },
];
