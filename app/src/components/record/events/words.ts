import type { Inputs, Outputs } from '../../../api/client.ts';
import { valuesOf } from '../../../api/values.ts';

/** An event in the history of a record. */
export type HistoryEvent = Outputs['task']['history']['items'][number];
/** An event in the audit log, with the name of its resource. */
export type AuditEvent = Outputs['audit']['page']['items'][number];
export type ResourceType = NonNullable<Extract<Inputs['audit']['page'], object>['resourceType']>;

// The build writes the types and verbs of the audit log here: app/vite.config.ts.
declare const RESOURCE_VERBS: Readonly<Record<ResourceType, readonly string[]>>;

const TEXTS: Partial<Readonly<Record<ResourceType, string>>> = { apiKey: 'API key', sso: 'single sign-on' };

/** Types that come before the others, or after them. */
const RANKS: Partial<Readonly<Record<ResourceType, number>>> = { task: -2, vendor: -1, sso: 1, company: 2 };
const rankOf = (type: ResourceType): number => RANKS[type] ?? 0;

/** Types of resources as people read them, and the verbs of their actions. */
export const RESOURCES = valuesOf<ResourceType>(RESOURCE_VERBS)
  .toSorted((one, other) => rankOf(one) - rankOf(other))
  .map((type) => ({ type, text: TEXTS[type] ?? type, verbs: RESOURCE_VERBS[type] }));

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A type as people read it. A newer version of the service may have others, which read as they are. */
export const typeText = (type: string): string => RESOURCES.find((one) => one.type === type)?.text ?? type;

/** "API key" */
export const resourceText = (type: string): string => capitalized(typeText(type));

/** Words of an action: "created", then "the vendor" and a name, or a number and "vendors". */
interface ActionWords {
  verb: string;
  one: string;
  many: string;
  /** True for what people do only to themselves: the verb is the whole sentence. */
  isReflexive?: boolean;
}

const reflexive = (verb: string): ActionWords => ({ verb, one: '', many: '', isReflexive: true });

const PAST: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  rotate: 'rotated',
  revoke: 'revoked',
};

/** Actions that read badly as their verb and type. */
const WORDS: Readonly<Record<string, ActionWords>> = {
  'member.create': { verb: 'added', one: 'the member', many: 'members' },
  'member.delete': { verb: 'ended', one: 'the membership of', many: 'memberships' },
  'member.forget': { verb: 'deleted', one: 'the name and email of', many: 'names and emails of members' },
  'member.resetPassword': { verb: 'created', one: 'a link to reset the password of', many: 'links to reset passwords' },
  'member.passwordReset': reflexive('reset their own password with a link'),
  'member.passwordChange': reflexive('changed their own password'),
  'member.passkeyAdd': reflexive('added a passkey to their own account'),
  'member.passkeyRemove': reflexive('removed a passkey from their own account'),
  'member.totpEnable': reflexive('turned on their own second factor'),
  'member.totpDisable': reflexive('turned off their own second factor'),
  'member.prove': { verb: 'confirmed', one: 'the email of', many: 'emails of members' },
  'invitation.create': { verb: 'invited', one: '', many: 'people' },
  'invitation.revoke': { verb: 'revoked', one: 'the invitation of', many: 'invitations' },
  'comment.create': { verb: 'wrote', one: 'a comment on', many: 'comments' },
  'comment.update': { verb: 'changed', one: 'a comment on', many: 'comments' },
  'comment.delete': { verb: 'deleted', one: 'a comment on', many: 'comments' },
  'comment.resolve': { verb: 'resolved', one: 'a question on', many: 'questions' },
  'comment.reopen': { verb: 'reopened', one: 'a question on', many: 'questions' },
  'evidence.create': { verb: 'attached', one: 'evidence to', many: 'pieces of evidence' },
  'evidence.update': { verb: 'changed', one: 'evidence of', many: 'pieces of evidence' },
  'evidence.delete': { verb: 'removed', one: 'evidence from', many: 'pieces of evidence' },
  'evidence.check': { verb: 'checked', one: 'evidence of', many: 'pieces of evidence' },
  'vendor.review': { verb: 'reviewed', one: '', many: 'vendors' },
  'proof.create': { verb: 'created', one: 'the', many: 'proofs' },
  'proof.delete': { verb: 'deleted', one: 'the', many: 'proofs' },
  'requirement.assess': { verb: 'assessed', one: '', many: 'requirements' },
  'webhook.rotate': { verb: 'rotated', one: 'the secret of the webhook', many: 'secrets of webhooks' },
  'sso.update': { verb: 'changed', one: '', many: 'single sign-on' },
};

export function wordsOf(action: string): ActionWords {
  const [type = '', verb = ''] = action.split('.');
  const text = typeText(type);
  return WORDS[action] ?? { verb: PAST[verb] ?? verb, one: `the ${text}`, many: `${text}s` };
}

/** An action as words: "Created tasks". */
export function actionText(action: string): string {
  const { verb, many } = wordsOf(action);
  return capitalized(many === '' ? verb : `${verb} ${many}`);
}
