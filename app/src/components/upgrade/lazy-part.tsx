import { lazy } from 'react';
import type { ComponentType } from 'react';
import { client } from '../../api/client.ts';
import { MissingPart } from './new-version.tsx';

/** Loads a component; a notice in its place if that fails. */
export async function loadPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Promise<ComponentType<Props>> {
  try {
    return await load();
  } catch {
    // The response names the version of the service.
    await client.account.get.query().catch(() => undefined);
    return MissingPart;
  }
}

/** Loads a component when it is first shown. The rest of the page stays if that fails. */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async (): Promise<{ default: ComponentType<Props> }> => ({ default: await loadPart(load) }));
