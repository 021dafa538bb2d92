import { useSearch } from '../../components/table/use-search.ts';
import { KeyList } from './key-list.tsx';
import { KeyPage } from './key-page.tsx';

/** The table of keys, or the key in the URL: `/api-keys?key=<uniqueId>`. */
export function Page() {
  const [{ key }] = useSearch(['key']);
  return key === undefined ? <KeyList /> : <KeyPage key={key} uniqueId={key} />;
}
