import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../../components/copy-button.tsx';
import { signingKeysQuery } from '../../../components/proof/signing-keys.ts';
import { Section } from '../../../components/section/section.tsx';

const COMMANDS = ['unzip proof.zip verify.mjs', 'node verify.mjs proof.zip'] as const;

/** Says how anybody checks a proof without this service. */
export function HowToCheck() {
  const { data: keys } = useQuery(signingKeysQuery);
  return (
    <Section
      title="How to check it"
      text="Give the ZIP to the auditor. Anybody can check it without this service, its operator or an account."
    >
      <ul className="check-ways">
        <li>
          In a browser:{' '}
          <Anchor href="/proof/check" inherit underline="always">
            Check a proof
          </Anchor>
          . The file stays on the machine.
        </li>
        <li>
          With Node 20 or later, offline:
          {COMMANDS.map((command) => (
            <span key={command} className="command">
              <code className="mono">{command}</code>
              <CopyButton value={command} label={`Copy ${command}`} />
            </span>
          ))}
        </li>
        <li>By hand: README.txt in the ZIP has the commands with unzip, sha256sum and openssl.</li>
      </ul>
      {keys !== undefined && keys.fingerprints.length > 0 && (
        <div className="fingerprints">
          <Text size="sm">
            The check prints the fingerprint of the key that signed the proof. It must be{' '}
            {keys.fingerprints.length === 1 ? 'that of this installation' : 'one of this installation, old ones too'}.
            Give it to the auditor by another way than the proof:
          </Text>
          {keys.fingerprints.map((fingerprint) => (
            <span key={fingerprint} className="command">
              <code className="mono">{fingerprint}</code>
              <CopyButton value={fingerprint} label={`Copy fingerprint ${fingerprint}`} />
            </span>
          ))}
        </div>
      )}
    </Section>
  );
}
