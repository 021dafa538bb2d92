import { Facts } from '../../section/facts.tsx';
import type { Evidence } from '../start/evidence.ts';
import { FileHash } from './file-hash.tsx';

/** Facts beside those of the list, as text. */
export const DetailFacts = ({ item: { note, url, sha256 } }: { item: Evidence }) => (
  <Facts
    facts={[
      ['Note', note === '' ? undefined : <span className="evidence-note">{note}</span>],
      ['Address', url ?? undefined],
      ['SHA-256', sha256 === null ? undefined : <FileHash sha256={sha256} />],
    ]}
  />
);
