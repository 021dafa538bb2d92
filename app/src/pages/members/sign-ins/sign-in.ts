import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { client, trpc } from '../../../api/client.ts';
import type { Outputs } from '../../../api/client.ts';
import { pagesOptions } from '../../../api/pages.ts';
import type { keyedRows } from '../../../components/table/rows/keyed-rows.ts';

type SignIn = Outputs['management']['signIn']['list']['items'][number];

const PAGE_SIZE = 100;

/** Every event in words. The compiler finds a missing one. */
export const EVENT_TEXTS: Readonly<Record<SignIn['event'], string>> = {
  signed_in: 'Signed in',
  failed: 'Failed',
  signed_out: 'Signed out',
  ended: 'Session ended',
};

/** Every method in words. */
export const METHOD_TEXTS: Readonly<Record<SignIn['method'], string>> = {
  password: 'Password',
  passkey: 'Passkey',
  sso: 'Single sign-on',
};

/** Pages of sign-ins, newest first. @param member uniqueId; undefined for all members */
export const useSignIns = (member: string | undefined) => {
  const filters = member === undefined ? {} : { member };
  return useInfiniteQuery({
    ...pagesOptions(trpc.management.signIn.list.queryKey(filters), (position, options) =>
      client.management.signIn.list.query({ ...filters, limit: PAGE_SIZE, ...position }, options),
    ),
    placeholderData: keepPreviousData,
  });
};

export type SignInRow = ReturnType<typeof keyedRows<SignIn>>[number];
