/** A fault of one line that a careless change could bring, and the tests that must not let it pass. */
export interface Defect {
  what: string;
  file: string;
  /** What stands there, once. */
  from: string;
  to: string;
  tests: readonly string[];
  /** Whether those tests need a PostgreSQL: DATABASE_URL. */
  postgresql?: true;
}

const WALL = 'migrations/Migration20261121121655_a_second_wall.ts';
const COSTS = 'migrations/Migration20261121092546_what_a_write_costs.ts';

export const DEFECTS: readonly Defect[] = [
  // Between companies
  {
    what: 'a table keeps its policy from nobody who owns it',
    file: WALL,
    from: 'alter table "${table}" force row level security',
    to: 'alter table "${table}" no force row level security',
    tests: ['second-wall'],
  },
  {
    what: 'a second policy lets everybody to vendors',
    file: WALL,
    from: 'for (const command of commands) {\n        this.addSql(`create policy',
    to: "if (table === 'vendor') this.addSql('create policy open on vendor using (true)');\n      for (const command of commands) {\n        this.addSql(`create policy",
    tests: ['second-wall'],
  },
  {
    what: 'a transaction is told its company for the whole session of the connection',
    file: 'entities/database/statement.ts',
    from: "text: `select set_config('app.company', $1, true)` };",
    to: "text: `select set_config('app.company', $1, false)` };",
    tests: ['second-wall'],
  },
  {
    what: 'a get of a vendor asks for no company, and is told every one',
    file: 'entities/statements/vendor.ts',
    from: "where v.company_id = :company and v.unique_id = :uniqueId${andWhere}`;\n\nexport const getVendor = brief<{ uniqueId: string }, VendorRow & StampRow>('vendor.get', findVendor());",
    to: "where v.unique_id = :uniqueId and :company::int > 0${andWhere}`;\n\nexport const getVendor = brief<{ uniqueId: string }, VendorRow & StampRow>('vendor.get', findVendor(), 'every company');",
    tests: ['tenancy', 'vendor'],
  },
  {
    what: 'changes that are carried out together are told what the first is told',
    file: 'entities/database/gathered.ts',
    from: '(at === 0 ? waitingBriefly(bound) : bound)',
    to: '(at === 0 ? waitingBriefly(bound) : { ...bound, ...(ordered[0]?.bound.told && { told: ordered[0].bound.told }) })',
    tests: ['gathered'],
    postgresql: true,
  },
  {
    what: 'changes are refused with another that is',
    file: 'entities/database/gathered.ts',
    from: 'if (isAnswer(error)) this.#byItself(change);',
    to: 'if (ordered.length === 1 && isAnswer(error)) this.#byItself(change);',
    tests: ['gathered'],
    postgresql: true,
  },
  {
    what: 'changes wait for the lock that one of them waits for',
    file: 'entities/database/gathered.ts',
    from: "'lock_timeout', '100', true",
    to: "'lock_timeout', '1500', true",
    tests: ['gathered'],
    postgresql: true,
  },
  {
    what: 'changes take their locks in the order of their coming',
    file: 'entities/database/gathered.ts',
    from: 'changes.toSorted((one, other) => compare(one.bound.order, other.bound.order))',
    to: 'changes.toSorted(() => compare())',
    tests: ['gathered'],
    postgresql: true,
  },
  {
    what: 'the ORM’s filter by company is off unless asked for',
    file: 'entities/tenancy.ts',
    from: 'default: true',
    to: 'default: false',
    tests: ['tenancy'],
  },
  {
    what: 'the audit trigger takes rows of another company than the one told of',
    file: COSTS,
    from: "if told_company <> coalesce(of_row->>'company_id', of_row->>'id') or changes ? 'company_id' then",
    to: 'if false then',
    tests: ['tenancy', 'audit'],
  },
  {
    what: 'seals are written for any company that is named',
    file: WALL,
    from: "this.addSql('revoke execute on function seal_audit(int, int) from public');",
    to: "this.addSql('alter function seal_audit(int, int) security definer');",
    tests: ['second-wall'],
  },
  {
    what: 'a cursor is another company’s as well',
    file: 'procedures/cursor.ts',
    from: '[list, session.principal.company, ',
    to: '[list, ',
    tests: ['vendor-list', 'task-list', 'trail'],
  },
  // Who asks
  {
    what: 'a key is remembered for a minute',
    file: 'entities/database/key-cache.ts',
    from: 'const FRESH = 800;',
    to: 'const FRESH = 60_000;',
    tests: ['key-life'],
    postgresql: true,
  },
  {
    what: 'a change of keys is not told to this process',
    file: 'entities/database/key-cache.ts',
    from: 'this.#forgotten += 1;',
    to: '',
    tests: ['key-life', 'management'],
  },
  {
    what: 'a framework whose digits are escaped is none that a key may not touch',
    file: 'server/input.ts',
    from: 'const text = decode(framework);',
    to: 'const text = framework;',
    tests: ['idempotency', 'request-input'],
  },
  {
    what: 'a vendor that is renamed between two pages is met twice',
    file: 'entities/statements/vendor-page.ts',
    from: 'and v.unique_id not in (select unique_id from renamed)',
    to: '',
    tests: ['vendor-list'],
  },
  {
    what: 'a key that is revoked works',
    file: 'entities/api-key.ts',
    from: "if (key.revokedAt !== null) return 'unauthorized';",
    to: '',
    tests: ['key-life', 'management'],
  },
  {
    what: 'a key works at the instant at which it expires',
    file: 'entities/api-key.ts',
    from: 'now >= key.expiresAt',
    to: 'now > key.expiresAt',
    tests: ['key-rights'],
  },
  {
    what: 'the checksum of a key is not looked at',
    file: 'entities/raw-key.ts',
    from: ' && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)))',
    to: '',
    tests: ['raw-key'],
  },
  {
    what: 'any token is the operator’s',
    file: 'server/context.ts',
    from: ' || !timingSafeEqual(digest(token), expected)',
    to: ' || !timingSafeEqual(digest(token), digest(token)) || expected.length === 0',
    tests: ['parity', 'process'],
  },
  // What a key may do
  {
    what: 'a scope is not asked for',
    file: 'procedures/rights.ts',
    from: "if (right !== 'any key' && !scopes.includes(right))",
    to: "if (right !== 'any key' && scopes.length === 0)",
    tests: ['rights'],
  },
  {
    what: 'a key limited to frameworks touches tasks of others',
    file: 'entities/statements/task.ts',
    from: 'or task.framework_id = any(:keyFrameworks))',
    to: 'or true)',
    tests: ['rights'],
  },
  {
    what: 'an IPv6 address is in no network',
    file: 'procedures/rights.ts',
    from: "isIPv4(address) ? 'ipv4' : 'ipv6'",
    to: "'ipv4'",
    tests: ['key-rights'],
  },
  {
    what: 'a key that is limited to addresses is taken from an unknown one',
    file: 'procedures/rights.ts',
    from: 'address === null || !contains(cidrs, address)',
    to: 'address !== null && !contains(cidrs, address)',
    tests: ['key-rights'],
  },
  // The trail
  {
    what: 'vendors have no audit trigger',
    file: 'migrations/Migration20261121060624_tables.ts',
    from: 'create trigger vendor_audit after insert or update or delete on vendor',
    to: 'create trigger vendor_audit after delete on vendor',
    tests: ['audit'],
  },
  {
    what: 'the deletion of a row is no event',
    file: COSTS,
    from: "of_row := to_jsonb(old);\n          verb := 'delete';",
    to: 'return null;',
    tests: ['audit'],
  },
  {
    what: 'a row may be written in the name of another user',
    file: COSTS,
    from: "(of_row->>'updated_by_id' <> teller",
    to: '(false',
    tests: ['audit', 'database'],
  },
  {
    what: 'who acts is not told',
    file: 'entities/database/statement.ts',
    from: "set_config('app.user', $2, true)",
    to: "set_config('app.users', $2, true)",
    tests: ['audit'],
  },
  {
    what: 'the service may change events',
    file: 'entities/database/grants.ts',
    from: "insert: 'audit_event',",
    to: "insert: 'audit_event, audit_seal',",
    tests: ['sealing'],
  },
  {
    what: 'a seal does not depend on the one before it',
    file: 'entities/statements/audit-seal.ts',
    from: "when p.hash <> audit_link(p.previous, audit_text(e, p.seq)) then 'changed'",
    to: "when p.hash is null then 'changed'",
    tests: ['sealing'],
  },
  // Input
  {
    what: 'text is taken for a number in a body',
    file: 'server/json-body.ts',
    from: 'return JSON.parse(utf8.decode(bytes));',
    to: 'return JSON.parse(utf8.decode(bytes), (_, inner) => (/^\\d+$/.test(String(inner)) ? Number(inner) : inner));',
    tests: ['wire'],
  },
  {
    what: 'HTML is stored as it came',
    file: 'procedures/shapes.ts',
    from: '  .overwrite(sanitise)\n',
    to: '',
    tests: ['html'],
  },
  {
    what: 'a field that is not known is overlooked',
    file: 'server/input.ts',
    from: 'if (stray !== undefined) throw new Refusal(',
    to: 'if (stray === null) throw new Refusal(',
    tests: ['wire', 'task'],
  },
  {
    what: 'a body that is not UTF-8 is read with replacements',
    file: 'server/json-body.ts',
    from: '{ fatal: true }',
    to: '{ fatal: false }',
    tests: ['wire'],
  },
  {
    what: 'a body may be nested as deep as it likes',
    file: 'server/json-body.ts',
    from: 'if (isDeeperThan(DEPTH, value))',
    to: 'if (isDeeperThan(100_000, value))',
    tests: ['wire', 'regressions/front-door'],
  },
  {
    what: 'NUL is let through to the database',
    file: 'procedures/shapes.ts',
    from: "value.isWellFormed() && !value.includes('\\0')",
    to: 'value.isWellFormed()',
    tests: ['task', 'vendor', 'wire'],
  },
  // Writing
  {
    what: 'a tag is not compared in the statement that changes',
    file: 'entities/statements/vendor.ts',
    from: "is distinct from (${after})\n    and ${tagMatches('vendor')}",
    to: 'is distinct from (${after})',
    tests: ['preconditions'],
  },
  {
    what: 'another request under the same Idempotency-Key is answered as the first',
    file: 'server/idempotency.ts',
    from: 'if (!same) throw ANOTHER;',
    to: '',
    tests: ['idempotency'],
  },
  {
    what: 'the answer is remembered after its change is committed',
    file: 'server/idempotency.ts',
    from: 'const answer = await carryOut(inside);',
    to: 'const answer = await carryOut(session);',
    tests: ['idempotency', 'idempotency-faults'],
  },
  {
    what: 'a task that is closed becomes anything',
    file: 'entities/task.ts',
    from: "return from === to || isOpen(from) || to === 'todo';",
    to: 'return isOpen(from) || to.length > 0;',
    tests: ['task'],
  },
  // Errors
  {
    what: 'an error of ours is told as it is',
    file: 'procedures/errors.ts',
    from: "return new Refusal('internal', 'Something went wrong on our side.', { cause: error });",
    to: "return new Refusal('internal', String(error), { cause: error });",
    tests: ['errors'],
  },
  {
    what: 'a database that is away is a fault of ours',
    file: 'entities/database/failure.ts',
    from: "const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '53', '57', '58']);",
    to: "const UNAVAILABLE_CLASSES = new Set(['99']);",
    tests: ['errors'],
  },
  {
    what: 'a deadlock is not tried again',
    file: 'entities/database/failure.ts',
    from: "new Set(['40001', '40P01'])",
    to: "new Set(['99999'])",
    tests: ['healing'],
    postgresql: true,
  },
  // Connections
  {
    what: 'what is asked ahead is begun before what was asked before it is answered',
    file: 'server/open-connections.ts',
    from: 'if (before === undefined) {',
    to: 'if (answers.length > 0) {',
    tests: ['slow-clients'],
  },
  {
    what: 'what nobody can be told of is done',
    file: 'server/open-connections.ts',
    from: 'if (socket.writable) begin();\n      return;',
    to: 'begin();\n      return;',
    tests: ['regressions/front-door'],
  },
  {
    what: 'more is read from who is many requests ahead',
    file: 'server/open-connections.ts',
    from: 'if (answers.length > 1) socket.pause();',
    to: '',
    tests: ['slow-clients'],
  },
  {
    what: 'who changed nothing is told to have changed what another did',
    file: 'procedures/task.ts',
    from: 'if (row?.is_changed === true) return',
    to: 'if (row !== undefined) return',
    tests: ['quick-ways'],
  },
  {
    what: 'keys over the limit are served',
    file: 'server/rest.ts',
    from: 'if (excess !== undefined) throw excess;',
    to: '',
    tests: ['rate-limit'],
  },
  {
    what: 'a batch counts as one call',
    file: 'server/rpc.ts',
    from: 'limits?.count(ctx.res, context, callsOf(ctx))',
    to: 'limits?.count(ctx.res, context, Math.min(1, callsOf(ctx)))',
    tests: ['rate-limit'],
  },
];
