import type { ProtocolPoint } from './protocol-proxy.ts';

const isChangeStatement = (statement: string) => /^(task|vendor)\.(insert|update|delete)$/.test(statement);
const isCommitStatement = (statement: string) => /^commit\b/i.test(statement);

/** The moments of a change, from before PostgreSQL hears of it until after the service hears that it is done. */
export const PROTOCOL_POINTS: readonly ProtocolPoint[] = [
  {
    name: 'before the change is sent',
    matches: ({ from, type, statement: asked }) => from === 'service' && type === 'B' && isChangeStatement(asked),
    forwardsMessage: false,
  },
  {
    name: 'when the change is sent',
    matches: ({ from, type, statement: asked }) => from === 'service' && type === 'S' && isChangeStatement(asked),
    forwardsMessage: true,
  },
  {
    name: 'when the change is made and its reply is not received',
    matches: ({ from, type, statement: asked }) => from === 'database' && type === 'C' && isChangeStatement(asked),
    forwardsMessage: false,
  },
  {
    name: 'when all but ReadyForQuery is received',
    matches: ({ from, type, statement: asked }) => from === 'database' && type === 'Z' && isChangeStatement(asked),
    forwardsMessage: false,
  },
  {
    name: 'before the idempotency record is inserted',
    matches: ({ from, type, statement: asked }) =>
      from === 'service' && type === 'B' && asked === 'idempotency-record.insert',
    forwardsMessage: false,
  },
  {
    name: 'before COMMIT is sent',
    matches: ({ from, type, statement: asked }) => from === 'service' && type === 'Q' && isCommitStatement(asked),
    forwardsMessage: false,
  },
  {
    name: 'when COMMIT is sent',
    matches: ({ from, type, statement: asked }) => from === 'service' && type === 'Q' && isCommitStatement(asked),
    forwardsMessage: true,
  },
  {
    name: 'when COMMIT is done and its reply is not received',
    matches: ({ from, type, commandTag: tag }) => from === 'database' && type === 'C' && tag === 'COMMIT',
    forwardsMessage: false,
  },
  {
    name: 'when the reply to COMMIT is received, before the HTTP response',
    matches: ({ from, type, statement: asked }) => from === 'database' && type === 'Z' && isCommitStatement(asked),
    forwardsMessage: true,
  },
];
