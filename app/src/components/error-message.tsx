import { Alert, Button, Text } from '@mantine/core';
import { errorDetails } from '../api/errors.ts';
import { adviceOf, messageText } from './error-text.ts';

interface ErrorMessageProps {
  error: unknown;
  /** The thing that failed: "The vendors could not be loaded". */
  title?: string;
  /** Repeats the request. The button is missing if the answer would be the same. */
  onRetry?: () => void;
}

/** An error: what happened, what to do next, and the id of the request. */
export function ErrorMessage({ error, title, onRetry }: ErrorMessageProps) {
  const details = errorDetails(error);
  const { message, status, requestId } = details;
  const advice = adviceOf(details);
  return (
    <Alert color="red" variant="outline" role="alert" title={title}>
      <Text size="sm">{messageText(message)}</Text>
      {advice !== undefined && <Text size="sm">{advice}</Text>}
      {requestId !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          Request <span className="mono">{requestId}</span>
        </Text>
      )}
      {onRetry !== undefined && status !== 403 && (
        <Button size="xs" variant="default" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
