import { sentence, withoutCodes } from '../api/errors.ts';
import type { ErrorDetails } from '../api/errors.ts';
import { fieldLabel } from './record/values.ts';

/** Fields that name the thing itself, which people do not know by its id. */
const IDS = new Set(['uniqueId', 'id', 'taskUniqueId', 'token']);
/** Beginning of a text whose subject is the field: "is archived". */
const PREDICATE = /^(?:is|are|has|was|does|needs|belongs|takes) /;
/** Beginning of a sentence about the person who reads it: "your role, editor, cannot read proofs". */
const ABOUT_READER = /^(?:you|your role)\b/;

/** A message of the server as sentences: `framework: is archived` is "Framework is archived." */
export const messageText = (message: string): string =>
  message
    .split('; ')
    .map((part) => withoutCodes(partText(part)))
    .join(' ');

function partText(part: string): string {
  const [, field, text] = /^([a-z][\w.]*): (.*)$/s.exec(part) ?? [];
  if (field === undefined || text === undefined) return sentence(part);
  if (ABOUT_READER.test(text)) return sentence(text);
  const isPredicate = PREDICATE.test(text);
  if (IDS.has(field)) return sentence(isPredicate ? `this ${text}` : text);
  return sentence(`${fieldLabel(field)}${isPredicate ? '' : ':'} ${text}`);
}

/** The next step after an error; undefined if the message names one. */
export function adviceOf({ status, message }: ErrorDetails): string | undefined {
  if (status === undefined) return undefined;
  if (status >= 500) return 'Try again. If it happens again, report the request id.';
  if (status === 403 && message.startsWith('Single sign-on:')) return undefined;
  return message.includes('; ') ? undefined : ADVICE[status];
}

const ADVICE: Readonly<Record<number, string>> = {
  400: 'Correct it, then try again.',
  403: 'Ask an admin of your company for permission.',
  404: 'It may have been deleted. Reload the page.',
  409: 'Reload the page, then repeat the change.',
  413: 'Send less data at once.',
  422: 'Correct it, then try again.',
  429: 'Wait a moment, then try again.',
};
