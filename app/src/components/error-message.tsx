import { Alert, Button, Text } from '@mantine/core';
import { errorDetails } from '../api/errors.ts';

interface ErrorMessageProps {
  error: unknown;
  /** The thing that failed: "The vendors could not be loaded". */
  title?: string;
  onRetry?: () => void;
}

/** An error: what happened, what to do next, and the id of the request. */
export function ErrorMessage({ error, title, onRetry }: ErrorMessageProps) {
  const { message, status, requestId } = errorDetails(error);
  const advice = adviceOf(status, message);
  return (
    <Alert color="red" variant="outline" role="alert" title={title}>
      <Text size="sm">{message}</Text>
      {advice !== undefined && <Text size="sm">{advice}</Text>}
      {requestId !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          Request <span className="mono">{requestId}</span>
        </Text>
      )}
      {onRetry !== undefined && (
        <Button size="xs" variant="default" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** The next step for an error that does not name one. */
function adviceOf(status: number | undefined, message: string): string | undefined {
  if (status === 403 && !message.startsWith('Single sign-on:'))
    return 'Ask an admin of the company for the permission.';
  if (status === 429) return 'Wait a moment, then try again.';
  if (status !== undefined && status >= 500) return 'Try again. If it happens again, report the request id.';
  return undefined;
}
