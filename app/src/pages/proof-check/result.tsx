import { Alert, Text } from '@mantine/core';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import type { ProofResult } from '../../../../procedures/proof/verify/verify.mjs';
import { CopyButton } from '../../components/copy-button.tsx';
import { sizeText } from '../../components/evidence/size.ts';
import { Facts } from '../../components/section/facts.tsx';
import { Time } from '../../components/time.tsx';
import type { Outcome } from './check.ts';

/** Numbers of a proof as people read them, in this order. A later version of the product may have others. */
const LABELS: Readonly<Record<string, string>> = {
  tasks: 'Tasks',
  vendors: 'Vendors',
  requirements: 'Requirements',
  comments: 'Comments',
  evidence: 'Evidence',
  frameworks: 'Frameworks',
  departments: 'Departments',
  gaps: 'Gaps',
  keys: 'API keys',
  members: 'Members',
  events: 'Events',
};

/** The numbers of each register, with labels. */
const registersOf = (counts: Readonly<Record<string, number>>) =>
  [...new Set([...Object.keys(LABELS), ...Object.keys(counts)])]
    .filter((name) => counts[name] !== undefined)
    .map((name) => ({ label: LABELS[name] ?? name, count: counts[name] ?? 0 }));

/** The content of a proof that holds, or the first thing that is wrong. */
export function Result({ outcome }: { outcome: Outcome }) {
  if ('fault' in outcome)
    return (
      <Alert color="red" variant="outline" role="alert" title="This proof is not valid">
        <Text size="sm" className="check-fault">
          {outcome.fault.replace(/^--checkpoint: /, 'Checkpoint: ')}.
        </Text>
        <Text size="sm" mt="xs">
          This is the first problem that was found. Do not rely on this file. Ask the company to send it again in
          another way.
        </Text>
      </Alert>
    );
  return <Holds {...outcome} />;
}

function Holds({ result, hasKeys }: Extract<Outcome, { result: ProofResult }>) {
  const { company, product, head, counts, fingerprint, isRebuilt, isKeyGiven } = result;
  return (
    <div className="check-result">
      {!isKeyGiven && <UnknownSigner hasKeys={hasKeys} />}
      <div role="status">
        <p className="check-holds">
          {isKeyGiven && <IconCheck size={22} aria-hidden />}
          The proof is valid.
        </p>
        <Text size="sm">
          {isKeyGiven && 'This installation signed it. '}
          Every file is exactly as it was signed. The events are an unbroken part of the audit log, in which nothing was
          inserted, changed, removed or reordered.
        </Text>
      </div>
      <Facts
        facts={[
          ['Company', `${company.name} (company ${company.id})`],
          ['Period', <Period key="period" {...result} />],
          ['Frameworks', <Frameworks key="frameworks" names={result.frameworkNames} />],
          ['Made', <MadeAt key="made" createdAt={result.createdAt} product={product} />],
          ['Fingerprint of the signing key', <Copyable key="key" value={fingerprint} label="Copy fingerprint" />],
          ['Head', <Head key="head" {...head} />],
          ['Missing files', <Missing key="missing" {...result} />],
          ['Evidence whose file is not in the proof', result.withoutFile.toLocaleString('en')],
          ['Timestamp', <Timestamp key="time" timestamp={result.timestamp} />],
          ['Checkpoint', <Checkpoint key="checkpoint" checkpoint={result.checkpoint} />],
        ]}
      />
      <table className="check-registers" aria-label="Registers">
        <thead>
          <tr>
            <th scope="col">Register</th>
            <th scope="col">Number</th>
          </tr>
        </thead>
        <tbody>
          {registersOf(counts).map(({ label, count }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{count.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Text size="sm" c="dimmed">
        {isRebuilt
          ? 'Each register was rebuilt from the events and matches them.'
          : 'The registers were not rebuilt from the events, because the period begins after the start of the log. Their files are exactly as they were signed.'}
      </Text>
    </div>
  );
}

/** A warning: anybody can make a proof with a key of their own. */
const UnknownSigner = ({ hasKeys }: { hasKeys: boolean }) => (
  <Alert
    color="red"
    variant="outline"
    title={hasKeys ? 'Signed by a key that this installation does not know' : 'The signer is unknown'}
  >
    <Text size="sm">
      {!hasKeys && 'This installation has no public key that can be read. '}
      Anybody can make a proof with a key of their own. Compare the fingerprint below with the one that the company sent
      you separately.
    </Text>
  </Alert>
);

const Copyable = ({ value, label }: { value: string; label: string }) => (
  <span className="check-copy">
    <span className="mono">{value}</span>
    <CopyButton value={value} label={label} />
  </span>
);

const Period = ({ from, asOf }: Pick<ProofResult, 'from' | 'asOf'>) => (
  <>
    {from === null ? 'The beginning of the log' : <Time value={from} isExact />} to <Time value={asOf} isExact />
  </>
);

const Frameworks = ({ names }: { names: ProofResult['frameworkNames'] }) =>
  names === null ? (
    'All'
  ) : (
    <>
      <strong>Only {names.join(', ')}.</strong> Tasks and requirements of other frameworks, with their comments and
      evidence, are left out.
    </>
  );

const MadeAt = ({ createdAt, product }: Pick<ProofResult, 'createdAt' | 'product'>) => (
  <>
    <Time value={createdAt} isExact /> by {product.name} {product.version}
  </>
);

const Head = ({ sequence, hash }: ProofResult['head']) =>
  sequence === 0 ? (
    'No event yet'
  ) : (
    <>
      Event {sequence.toLocaleString('en')} <Copyable value={hash} label="Copy seal" />
    </>
  );

function Missing({ evidence, missing }: Pick<ProofResult, 'evidence' | 'missing'>) {
  if (!evidence) return 'The proof was made without files.';
  if (missing.length === 0) return 'None';
  const size = missing.reduce((sum, file) => sum + file.size, 0);
  const count = `${missing.length.toLocaleString('en')} ${missing.length === 1 ? 'file' : 'files'}`;
  return `${count} (${sizeText(size)}) of evidence that was deleted before the proof was made`;
}

const Timestamp = ({ timestamp }: Pick<ProofResult, 'timestamp'>) =>
  timestamp === null ? (
    'None'
  ) : (
    <>
      <Time value={timestamp} isExact />. It belongs to this proof. Its signature is not checked here. README.txt in the
      ZIP has the command to check it.
    </>
  );

function Checkpoint({ checkpoint }: Pick<ProofResult, 'checkpoint'>) {
  if (checkpoint === null) return 'No checkpoint was given';
  const { sequence, isSignatureChecked } = checkpoint;
  return `The log continues it unchanged, from event ${sequence.toLocaleString('en')} on. ${
    isSignatureChecked ? 'Its signature matches.' : 'Its signature was not checked, because its key is not known here.'
  }`;
}
