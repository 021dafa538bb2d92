import type { Inputs, Outputs } from '../../api/client.ts';

export type Member = Outputs['management']['member']['list'][number];
type Role = Inputs['management']['member']['invite']['role'];

/** Every role in words. The compiler finds a missing one. */
const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  admin: 'Admin',
  editor: 'Editor',
  auditor: 'Auditor',
};

const isRole = (text: string): text is Role => text in ROLE_TEXTS;

export const roleText = (role: string): string => (isRole(role) ? ROLE_TEXTS[role] : role);

/** Role of the API from the value of a select. */
export const toRole = (text: string): Role => (isRole(text) ? text : 'auditor');

export const ROLE_OPTIONS = Object.entries(ROLE_TEXTS).map(([value, label]) => ({ value, label }));
