import { Alert, Text } from '@mantine/core';
import { Time } from '../../components/time.tsx';
import type { ApiKey } from './key.ts';

/** The report of a key that was found in public, and what to do. */
export function LeakReport({ apiKey }: { apiKey: ApiKey }) {
  const { leakedAt, leakedUrl, revokedAt, enabled } = apiKey;
  if (leakedAt === null) return null;
  return (
    <Alert color="red" variant="outline" title="This key was found in public">
      <Text size="sm">
        Reported <Time value={leakedAt} />
        {leakedUrl !== null && leakedUrl !== '' && (
          <>
            {' at '}
            <span className="mono leak-url">{leakedUrl}</span>
          </>
        )}
        .
      </Text>
      <Text size="sm">{nextStep(revokedAt !== null, enabled)}</Text>
    </Alert>
  );
}

function nextStep(isRevoked: boolean, isEnabled: boolean): string {
  if (isRevoked) return 'The key is revoked. Remove it from that place.';
  const step = 'Rotate the key without overlap and give the new secret to its program, or revoke the key.';
  return isEnabled ? step : `The key is disabled. ${step}`;
}
