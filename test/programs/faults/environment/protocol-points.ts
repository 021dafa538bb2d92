import type { ProtocolPoint } from './protocol-proxy.ts';

const isChangeStatement = (statement: string) => /^(task|vendor)\.(insert|update|delete)$/.test(statement);
const isCommitStatement = (statement: string) => /^commit\b/i.test(statement);

/** Points in the life of a write, from before the service sends it until the service receives the result of COMMIT. */
export const PROTOCOL_POINTS: readonly ProtocolPoint[] = [
  {
    name: 'before the change is sent',
    matches: ({ from, type, statement }) => from === 'service' && type === 'B' && isChangeStatement(statement),
    forwardsMessage: false,
  },
  {
    name: 'when the change is sent',
    matches: ({ from, type, statement }) => from === 'service' && type === 'S' && isChangeStatement(statement),
    forwardsMessage: true,
  },
  {
    name: 'when the change is made and its result is not received',
    matches: ({ from, type, statement }) => from === 'database' && type === 'C' && isChangeStatement(statement),
    forwardsMessage: false,
  },
  {
    name: 'when all but ReadyForQuery is received',
    matches: ({ from, type, statement }) => from === 'database' && type === 'Z' && isChangeStatement(statement),
    forwardsMessage: false,
  },
  {
    name: 'before the idempotency record is inserted',
    matches: ({ from, type, statement }) =>
      from === 'service' && type === 'B' && statement === 'idempotency-record.insert',
    forwardsMessage: false,
  },
  {
    name: 'before COMMIT is sent',
    matches: ({ from, type, statement }) => from === 'service' && type === 'Q' && isCommitStatement(statement),
    forwardsMessage: false,
  },
  {
    name: 'when COMMIT is sent',
    matches: ({ from, type, statement }) => from === 'service' && type === 'Q' && isCommitStatement(statement),
    forwardsMessage: true,
  },
  {
    name: 'when COMMIT is done and its result is not received',
    matches: ({ from, type, commandTag }) => from === 'database' && type === 'C' && commandTag === 'COMMIT',
    forwardsMessage: false,
  },
  {
    name: 'when the result of COMMIT is received, before the HTTP response',
    matches: ({ from, type, statement }) => from === 'database' && type === 'Z' && isCommitStatement(statement),
    forwardsMessage: true,
  },
];
