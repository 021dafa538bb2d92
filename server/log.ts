import { pino } from 'pino';
import type { Logger } from 'pino';
import { withoutRawKeys } from '../entities/raw-key.ts';
import type { Settings } from './config.ts';

/** JSON lines on stdout. Whatever is logged, no raw key gets through. */
export function createLog(level: Settings['logLevel']): Logger {
  return pino({ level, hooks: { streamWrite: withoutRawKeys } });
}
