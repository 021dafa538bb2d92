import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Search } from '../../../api/search.ts';

/** uniqueId of the import in the URL, and a function that shows another one, or the form. */
export function useShownImport() {
  const { import: uniqueId }: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const show = (shown: string | undefined) => void navigate({ to: '.', search: { import: shown } });
  return [uniqueId, show] as const;
}
