import { Alert, Button, List, Text } from '@mantine/core';
import { closeFailure } from './undo.ts';
import type { Failure } from './undo.ts';

/** Maximum number of reasons that are listed. */
const MAX_SHOWN = 10;

/** A failure with its reasons. It stays until a person hides it. */
export function FailureMessage({ failure }: { failure: Failure }) {
  const { title, advice, reasons } = failure;
  const more = reasons.length - MAX_SHOWN;
  return (
    <Alert color="red" variant="outline" role="alert" className="failure-message" title={title}>
      {advice !== undefined && <Text size="sm">{advice}</Text>}
      <List size="sm" mb="xs">
        {reasons.slice(0, MAX_SHOWN).map((reason, index) => (
          <List.Item key={index}>{reason}</List.Item>
        ))}
      </List>
      {more > 0 && <Text size="sm">And {more.toLocaleString('en')} more.</Text>}
      <Button variant="default" onClick={() => closeFailure(failure)}>
        Hide
      </Button>
    </Alert>
  );
}
