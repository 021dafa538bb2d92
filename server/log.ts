import { pino } from 'pino';
import type { Logger } from 'pino';
import type { Settings } from './config.ts';

const RAW_KEYS = /svc_sk_live_[0-9A-Za-z]+/g;

/** JSON lines on stdout. Whatever is logged, no raw key gets through. */
export function createLog(level: Settings['logLevel']): Logger {
  return pino({ level, hooks: { streamWrite: (line) => line.replaceAll(RAW_KEYS, 'svc_sk_live_[redacted]') } });
}
