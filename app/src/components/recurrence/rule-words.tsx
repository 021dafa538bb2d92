import { ruleText } from './words.ts';

/** A rule of an event in words, without its date, which the event may lack. */
export const RuleWords = ({ rule }: { rule: string }) => <span>{ruleText(rule)}</span>;
