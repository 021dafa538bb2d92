// `fields.json` of the sample proof, written by hand: the columns that its events have.

const plain = (field: string | null) => ({ field, kind: 'plain' });
const time = (field: string) => ({ field, kind: 'time', default: null });
const person = (field: string) => ({ field, kind: 'person' });
const flag = (field: string) => ({ ...plain(field), default: true });
const later = (field: string, value: null | [] = null) => ({ ...plain(field), default: value });

const metadata = {
  created_at: { field: 'createdAt', kind: 'time' },
  updated_at: { field: 'updatedAt', kind: 'time' },
  created_by_id: person('createdBy'),
  updated_by_id: person('updatedBy'),
  version: plain('version'),
};
const reference = { id: plain('id'), name: plain('name'), archived_at: time('archivedAt') };
const ofParent = { unique_id: plain('uniqueId'), resource: plain('resource') };

export const sampleFields = {
  event: {
    id: plain(null),
    company_id: plain(null),
    unique_id: plain('uniqueId'),
    occurred_at: { field: 'occurredAt', kind: 'time' },
    user_id: person('actor'),
    user_kind: plain('actor.kind'),
    api_key_id: plain('apiKey'),
    action: plain('action'),
    resource_type: plain('resource.type'),
    resource_id: plain('resource.uniqueId'),
    parent_type: plain('parent.type'),
    parent_id: plain('parent.uniqueId'),
    framework_id: plain(null),
    changes: plain('changes'),
    request_id: plain('requestId'),
  },
  types: {
    company: { columns: { id: plain('id'), name: plain('name') }, derived: [] },
    member: {
      columns: {
        unique_id: plain('uniqueId'),
        person_id: plain(null),
        role: plain('role'),
        frameworks: plain('frameworks'),
        ended_at: time('endedAt'),
        created_at: { field: 'createdAt', kind: 'time' },
        identity: plain('identity'),
      },
      derived: [],
    },
    framework: { columns: reference, derived: [] },
    department: { columns: reference, derived: [] },
    gap: {
      columns: {
        id: plain('id'),
        framework_id: plain('framework'),
        title: plain('title'),
        archived_at: time('archivedAt'),
      },
      derived: [],
    },
    apiKey: {
      columns: {
        unique_id: plain('uniqueId'),
        user_id: person('user'),
        name: plain('name'),
        scopes: plain('scopes'),
        hash: plain(null),
      },
      derived: [],
    },
    vendor: {
      columns: {
        unique_id: plain('uniqueId'),
        name: plain('name'),
        status: plain('status'),
        description: plain('description'),
        website: later('website'),
        criticality: later('criticality'),
        owner_id: { ...person('owner'), default: null },
        labels: later('labels', []),
        data_categories: later('dataCategories', []),
        contract_start: later('contractStart'),
        contract_end: later('contractEnd'),
        review_every_months: later('reviewEveryMonths'),
        next_review: later('nextReview'),
        contacts: later('contacts', []),
        last_review: { field: 'lastReview', kind: 'review', default: null },
        ...metadata,
      },
      derived: [{ field: 'active', of: 'status', equals: 'active' }],
    },
    requirement: {
      columns: {
        ref_order: plain(null),
        unique_id: plain('uniqueId'),
        framework_id: plain('framework'),
        ref: plain('ref'),
        title: plain('title'),
        parent: later('parent'),
        assessable: flag('assessable'),
        applicable: flag('applicable'),
        justification: { ...plain('justification'), default: '' },
        owner_id: { ...person('owner'), default: null },
        assessment: { field: 'assessment', kind: 'review', default: null },
        ...metadata,
      },
      derived: [{ field: 'status', rule: 'requirement' }],
    },
    task: {
      columns: {
        next_id: plain(null),
        unique_id: plain('uniqueId'),
        framework_id: plain('framework'),
        title: plain('title'),
        labels: plain('labels'),
        due_date: later('dueDate'),
        department_id: later('departmentId'),
        gaps: plain('gaps'),
        status: plain('status'),
        assignee_id: { ...person('assignee'), default: null },
        vendors: later('vendors', []),
        recurrence: later('recurrence'),
        external_ids: later('externalIds', []),
        previous: later('previous'),
        ...metadata,
      },
      derived: [],
    },
    comment: {
      columns: {
        ...ofParent,
        text: plain('text'),
        mentions: { field: 'mentions', kind: 'people', default: [] },
        ...metadata,
      },
      derived: [],
    },
    evidence: {
      columns: {
        ...ofParent,
        kind: plain('kind'),
        url: plain('url'),
        size: plain('size'),
        sha256: plain('sha256'),
        name: plain('name'),
        date: plain('date'),
        ...metadata,
      },
      derived: [],
    },
  },
};
