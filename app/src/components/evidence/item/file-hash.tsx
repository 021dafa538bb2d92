import { CopyButton } from '../../copy-button.tsx';

/** The SHA-256 of a file, which a person compares with that of a copy. */
export const FileHash = ({ sha256 }: { sha256: string }) => (
  <span className="evidence-hash">
    <span className="mono">{sha256}</span>
    <CopyButton value={sha256} label="Copy SHA-256" />
  </span>
);
