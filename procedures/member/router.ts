import { z } from 'zod';
import { listMembers } from '../../entities/member/management.ts';
import type { MemberRow } from '../../entities/member/management.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { MAX_EMAIL_LENGTH, ROLES } from '../../entities/member/role.ts';
import { toIso, toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import type { InvitationRow } from '../../entities/member/invitation.ts';
import {
  noInput,
  EXAMPLE_IDS,
  booleanInput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
  listOutput,
  idOutput,
  textOutput,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { MAX_LIST_ITEMS, frameworksInput } from '../schemas/frameworks.ts';
import { emailInput, roleInput } from '../schemas/people.ts';

const frameworks = frameworksInput('Frameworks that the member may access; null for all');

export const MemberId = z.strictObject({ uniqueId: uniqueIdInput('uniqueId of the member', EXAMPLE_IDS.user) });
export const InvitationId = z.strictObject({ uniqueId: uniqueIdInput('uniqueId of the invitation', EXAMPLE_IDS.user) });

/** Only the operator may ask for the link. */
const showLink = booleanInput.optional().meta({
  description: 'True shows the link to the operator instead of sending it; using it does not prove the address',
});

/** Day with which access ends. */
const endsAt = calendarDate
  .nullable()
  .optional()
  .meta({ description: 'Last day of the membership in the time zone of the company; null for no end' });

export const NewInvitation = z.strictObject({
  email: emailInput,
  role: roleInput,
  frameworks: frameworks.optional(),
  endsAt,
  showLink,
});

export const NewResetLink = MemberId.extend({ showLink });

export const MemberSettings = MemberId.extend({
  role: roleInput.optional(),
  frameworks: frameworks.optional(),
  endsAt,
  email: emailInput.optional().meta({
    description:
      'New email address; if email is set up and an admin makes the change, a link is sent there, and the address changes when the person uses it',
  }),
});

const accessOutput = {
  email: z.string(),
  role: z.enum(ROLES).meta({
    description: '`admin` manages the company, `editor` works on its tasks and vendors, `auditor` only reads',
  }),
  frameworks: z.array(z.int()).nullable().meta({ description: 'Frameworks of the member; null for all' }),
};

const endsAtOutput = calendarDate.nullable().meta({ description: 'Last day of the membership; null for no end' });

export const MemberOutput = z.object({
  uniqueId: uniqueIdOutput,
  name: z.string(),
  ...accessOutput,
  endsAt: endsAtOutput,
  singleSignOn: z
    .string()
    .nullable()
    .meta({ description: 'Identity provider to whose account the member is linked; null without a link' }),
  mailRefusedAt: timestampOutput
    .nullable()
    .meta({ description: 'Time at which an email was refused because the mailbox does not exist; null otherwise' }),
  endedAt: timestampOutput.nullable().meta({ description: 'End of the membership; null for an active member' }),
});

/** A member as other members and API keys see it. */
const ListedMember = z
  .object({
    uniqueId: uniqueIdOutput.meta({ examples: [EXAMPLE_IDS.user] }),
    name: textOutput(MAX_NAME_LENGTH, 'Ann', 'Name, chosen by the member'),
    email: textOutput(MAX_EMAIL_LENGTH, 'ann@example.com', 'Email address, in lower case'),
    role: accessOutput.role,
    frameworks: z
      .array(idOutput)
      .meta({ maxItems: MAX_LIST_ITEMS })
      .nullable()
      .meta({ description: 'Frameworks that the member may access; null for all', examples: [null] }),
    ended: z.boolean().meta({ description: 'Whether the membership has ended', examples: [false] }),
  })
  .meta({ id: 'Member', description: 'A person in the company' });

export const InvitationOutput = z.object({
  uniqueId: uniqueIdOutput,
  ...accessOutput,
  endsAt: endsAtOutput,
  expiresAt: timestampOutput,
  mailedAt: timestampOutput
    .nullable()
    .meta({ description: 'Time at which its link was mailed; null for a link that was shown' }),
});

/** A link that is mailed, or shown once. */
export const LinkOutput = z.object({
  link: z.string().nullable().meta({ description: 'Null if it was mailed; no later response contains it' }),
  expiresAt: timestampOutput,
});

export const InvitationLinkOutput = LinkOutput.extend({ uniqueId: uniqueIdOutput });

export const toMemberOutput = (row: MemberRow) => ({
  uniqueId: row.unique_id,
  name: row.name,
  email: row.email,
  role: row.role,
  frameworks: row.frameworks,
  endsAt: row.ends_at,
  singleSignOn: row.single_sign_on,
  mailRefusedAt: toIsoOrNull(row.mail_refused_at),
  endedAt: toIsoOrNull(row.ended_at),
});

const toListedMember = (row: MemberRow) => ({
  uniqueId: row.unique_id,
  name: row.name,
  email: row.email,
  role: row.role,
  frameworks: row.frameworks,
  ended: row.ended_at !== null,
});

export const toInvitationOutput = ({ usedAt: _usedAt, expiresAt, mailedAt, ...row }: InvitationRow) => ({
  ...row,
  expiresAt: toIso(expiresAt),
  mailedAt: toIsoOrNull(mailedAt),
});

const text = operationTexts('Reference data');

/** The members of the company, for every role and for keys that may read them. Contract, section 18. */
export const member = router({
  list: companyProcedure('member:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/external/member/list',
        ...text('listMembers', 'List the members, by uniqueId', 'Includes members who have ended.'),
      },
    })
    .input(noInput)
    .output(listOutput(ListedMember))
    .query(async ({ ctx }) => (await ctx.session.run(listMembers, {})).map(toListedMember)),
});
