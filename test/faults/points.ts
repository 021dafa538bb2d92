import type { Point } from './stage/wire.ts';

const isChange = (asked: string) => /^(task|vendor)\.(insert|update|delete)$/.test(asked);
const isCommit = (asked: string) => /^commit\b/i.test(asked);

/** The moments of a change, from before PostgreSQL hears of it until after the service hears that it is done. */
export const POINTS: readonly Point[] = [
  {
    name: 'before the change is sent',
    isAt: ({ from, type, asked }) => from === 'service' && type === 'B' && isChange(asked),
    passes: false,
  },
  {
    name: 'when the change is sent',
    isAt: ({ from, type, asked }) => from === 'service' && type === 'S' && isChange(asked),
    passes: true,
  },
  {
    name: 'when the change is made, and the service has not heard',
    isAt: ({ from, type, asked }) => from === 'database' && type === 'C' && isChange(asked),
    passes: false,
  },
  {
    name: 'when all but the end of the answer is heard',
    isAt: ({ from, type, asked }) => from === 'database' && type === 'Z' && isChange(asked),
    passes: false,
  },
  {
    name: 'when its answer is to be remembered',
    isAt: ({ from, type, asked }) => from === 'service' && type === 'B' && asked === 'remembered-answer.insert',
    passes: false,
  },
  {
    name: 'before COMMIT is sent',
    isAt: ({ from, type, asked }) => from === 'service' && type === 'Q' && isCommit(asked),
    passes: false,
  },
  {
    name: 'when COMMIT is sent',
    isAt: ({ from, type, asked }) => from === 'service' && type === 'Q' && isCommit(asked),
    passes: true,
  },
  {
    name: 'when COMMIT is done, and the service has not heard',
    isAt: ({ from, type, tag }) => from === 'database' && type === 'C' && tag === 'COMMIT',
    passes: false,
  },
  {
    name: 'when COMMIT is done and heard, before HTTP answers',
    isAt: ({ from, type, asked }) => from === 'database' && type === 'Z' && isCommit(asked),
    passes: true,
  },
];
