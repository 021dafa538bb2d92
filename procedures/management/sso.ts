import { z } from 'zod';
import { ApiError, notFound } from '../../entities/api-error.ts';
import {
  MAX_ISSUER_LENGTH,
  confirmDomain,
  deleteOtherDomains,
  deleteSso,
  findDomainsOfOthers,
  findSso,
  insertDomain,
  lockSso,
  saveSso,
} from '../../entities/single-sign-on/sso.ts';
import { endSessionsOfProvider } from '../../entities/sign-in/session-end.ts';
import type { SsoRow } from '../../entities/single-sign-on/sso.ts';
import { clientSecretPlace } from '../core/encryption.ts';
import { requireEncryption, servicesOf } from '../core/services.ts';
import { managementProcedure, operatorSettingsProcedure, router } from '../core/trpc.ts';
import { unlinkAll } from '../member/unlink.ts';
import { openServicesOf } from './closing.ts';
import { roleInput } from '../schemas/people.ts';
import { isIssuer } from '../sign-in/issuer.ts';
import { isProvider } from '../single-sign-on/provider.ts';
import { expected, trimmedText, searchText, booleanInput, noInput } from '../../entities/fields/schemas.ts';

const MAX_CLIENT_ID_LENGTH = 255;
const MAX_SECRET_LENGTH = 1000;
const MAX_DOMAINS = 20;

/** A host name of at least two labels. https://www.rfc-editor.org/rfc/rfc1123#section-2.1 */
const DOMAIN_PATTERN =
  /^(?=.{4,253}$)(?:[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?\.)+[A-Za-z](?:[A-Za-z\d-]{0,61}[A-Za-z\d])$/;

const domainInput = z
  .string(expected('a domain like example.com'))
  .trim()
  .regex(DOMAIN_PATTERN, 'expected a domain like example.com')
  .toLowerCase(); // after the check, see `emailInput`

const EXPECTED_DOMAINS = `1 to ${MAX_DOMAINS} different domains`;

const SsoSettings = z.strictObject({
  issuer: trimmedText(MAX_ISSUER_LENGTH).meta({ description: 'Issuer URL of the OpenID Connect provider' }),
  clientId: trimmedText(MAX_CLIENT_ID_LENGTH).meta({ description: 'Client id at the provider' }),
  clientSecret: searchText(MAX_SECRET_LENGTH).optional().meta({
    description: 'Client secret at the provider; without it the stored one is kept, unless the issuer changes',
  }),
  domains: z
    .array(domainInput, expected(EXPECTED_DOMAINS))
    .refine(
      (domains) => domains.length > 0 && domains.length <= MAX_DOMAINS && new Set(domains).size === domains.length,
      `expected ${EXPECTED_DOMAINS}`,
    )
    .meta({ description: 'Email domains of the company; each works once the operator confirmed it' }),
  required: booleanInput.meta({ description: 'True turns passwords off for members with these domains' }),
  role: roleInput.meta({ description: 'Role of a person who signs in for the first time' }),
  trustEmail: booleanInput.default(false).meta({
    description:
      'True counts an email as verified if the provider does not say whether it is. Only for a provider at which nobody chooses their own email',
  }),
});

const SsoOutput = z.object({
  issuer: z.string(),
  clientId: z.string(),
  domains: z.array(z.string()),
  confirmedDomains: z.array(z.string()),
  required: z.boolean(),
  role: z.string(),
  trustEmail: z.boolean(),
});

const toSsoOutput = ({ company: _company, clientSecret: _secret, ...settings }: SsoRow) => settings;

const ofAnotherCompany = (field: string, domain: string) =>
  new ApiError('conflict', `${field}: ${domain} belongs to another company`);

/** OpenID Connect provider of a company. See docs/contract.md, section 16. */
export const sso = router({
  get: managementProcedure('management:read')
    .meta({ description: 'Show the single sign-on of the company, without its client secret' })
    .input(noInput)
    .output(SsoOutput.nullable())
    .query(async ({ ctx }) => {
      const row = await ctx.session.first(findSso, {});
      return row === undefined ? null : toSsoOutput(row);
    }),

  set: managementProcedure('management:write')
    .meta({ description: 'Set the single sign-on of the company' })
    .input(SsoSettings)
    .output(SsoOutput)
    .mutation(({ ctx, input: { clientSecret: newSecret, ...settings } }) => {
      const services = servicesOf(ctx);
      const { company } = ctx.session.principal;
      if (!isIssuer(settings.issuer, services.appUrl()))
        throw new ApiError('invalid_request', 'issuer: expected an https:// address without a query or a fragment');
      const encrypted =
        newSecret === undefined
          ? undefined
          : requireEncryption(services).encrypt(newSecret, clientSecretPlace(company));
      return ctx.session.transaction(async (session) => {
        const existing = await session.first(lockSso, {});
        // The secret belongs to the provider that issued it. Another issuer must not get it.
        const storedSecret = existing?.issuer === settings.issuer ? existing.clientSecret : undefined;
        const clientSecret = encrypted ?? storedSecret;
        if (clientSecret === undefined) throw new ApiError('invalid_request', 'clientSecret: required');
        const [taken] = await session.run(findDomainsOfOthers, settings);
        if (taken !== undefined) throw ofAnotherCompany('domains', taken.domain);
        await session.run(deleteOtherDomains, settings);
        const isNewSecret = newSecret !== undefined;
        const saved = await session.one(saveSso, { ...settings, clientSecret, isNewSecret });
        const exceptDomains = isProvider(existing, settings) ? saved.confirmedDomains : [];
        await session.run(endSessionsOfProvider, { exceptDomains });
        return toSsoOutput(saved);
      });
    }),

  remove: managementProcedure('management:write')
    .meta({
      description: 'Remove the single sign-on of the company, the links of its members, and the sessions made with it',
    })
    .input(noInput)
    .output(z.void())
    .mutation(async ({ ctx }) => {
      const services = await openServicesOf(ctx);
      await ctx.session.transaction(async (session) => {
        if ((await session.first(lockSso, {})) === undefined) throw notFound('sso');
        await session.run(deleteOtherDomains, { domains: [] });
        await session.run(deleteSso, {});
        await unlinkAll(session, services);
      });
    }),

  confirm: operatorSettingsProcedure
    .meta({ description: 'Confirm that an email domain belongs to the company' })
    .input(z.strictObject({ domain: domainInput.meta({ description: 'Email domain; case is ignored' }) }))
    .output(SsoOutput)
    .mutation(({ ctx, input: { domain } }) =>
      ctx.session.transaction(async (session) => {
        const existing = await session.first(lockSso, {});
        if (existing?.domains.includes(domain) !== true) throw notFound('domain');
        if (existing.confirmedDomains.includes(domain)) return toSsoOutput(existing);
        if ((await session.first(insertDomain, { domain })) === undefined) throw ofAnotherCompany('domain', domain);
        return toSsoOutput(await session.one(confirmDomain, { domain }));
      }),
    ),
});
