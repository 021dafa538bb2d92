/** What is needed to find the page of a resource. */
interface ResourceKey {
  type: string;
  uniqueId: string;
}

/** A place in the application. */
export interface Address {
  to: string;
  search?: Record<string, string>;
  /** False for a page that scrolls to the resource itself. */
  resetScroll?: boolean;
}

const PAGES: Readonly<Record<string, (uniqueId: string) => Address>> = {
  task: (uniqueId) => ({ to: `/tasks/${uniqueId}` }),
  vendor: (uniqueId) => ({ to: `/vendors/${uniqueId}` }),
  webhook: (uniqueId) => ({ to: `/webhooks/${uniqueId}` }),
  member: (uniqueId) => ({ to: `/members/${uniqueId}` }),
  apiKey: (uniqueId) => ({ to: '/api-keys', search: { key: uniqueId } }),
  proof: (uniqueId) => ({ to: '/audit-log/proofs', search: { proof: uniqueId }, resetScroll: false }),
  import: (uniqueId) => ({ to: '/imports', search: { import: uniqueId } }),
  framework: (uniqueId) => ({ to: `/frameworks/${uniqueId}` }),
  requirement: (uniqueId) => ({ to: `/requirements/${uniqueId}` }),
  gap: () => ({ to: '/frameworks', search: { tab: 'gaps' } }),
  department: () => ({ to: '/frameworks', search: { tab: 'departments' } }),
  invitation: () => ({ to: '/members' }),
  sso: () => ({ to: '/members' }),
};

/** The page of a resource, or the list that it is in; undefined if it has neither. */
export const addressOf = ({ type, uniqueId }: ResourceKey): Address | undefined => PAGES[type]?.(uniqueId);
