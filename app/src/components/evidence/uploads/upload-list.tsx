import { Button, Progress, VisuallyHidden } from '@mantine/core';
import { errorDetails } from '../../../api/errors.ts';
import { adviceOf, messageText } from '../../error-text.ts';
import { sizeText } from '../size.ts';
import { cancel, tryAgain } from './uploads.ts';
import type { Upload } from './uploads.ts';

/** Uploads that run, with progress and speed, and those that failed. */
export const UploadList = ({ uploads }: { uploads: readonly Upload[] }) => (
  <ul className="evidence-list screen-only" aria-label="Uploads">
    {uploads.map((upload) => (
      <li key={upload.key}>
        <div className="evidence-row">
          <bdi className="upload-name">{upload.fields.name}</bdi>
          {upload.state === 'failed' && (
            <Button size="compact-sm" variant="default" onClick={() => tryAgain(upload)}>
              Try again<VisuallyHidden> to attach {upload.fields.name}</VisuallyHidden>
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={() => cancel(upload)}>
            {upload.state === 'failed' ? 'Remove' : 'Cancel'}
            <VisuallyHidden> {upload.fields.name}</VisuallyHidden>
          </Button>
        </div>
        {upload.state === 'failed' ? <Failure error={upload.error} /> : <Running upload={upload} />}
      </li>
    ))}
  </ul>
);

function Running({ upload: { fields, file, sent, speed, state } }: { upload: Upload }) {
  return (
    <>
      <Progress
        size="sm"
        mt={6}
        value={Math.min(100, (sent / file.size) * 100)}
        aria-label={`Progress of ${fields.name}`}
      />
      <div className="evidence-facts upload-facts">
        {state === 'waiting' ? 'Waits for the others' : progressText(file.size, sent, speed)}
      </div>
    </>
  );
}

/** "12 MB of 48 MB, 4.1 MB per second, about 9 seconds left" */
function progressText(size: number, sent: number, speed: number | undefined): string {
  if (sent >= size) return `${sizeText(size)} sent, the server stores the file`;
  const parts = [`${sizeText(sent)} of ${sizeText(size)}`];
  if (speed !== undefined && speed > 0)
    parts.push(`${sizeText(speed)} per second`, `about ${durationText((size - sent) / speed)} left`);
  return parts.join(', ');
}

const MINUTE = 60;

function durationText(seconds: number): string {
  const [count, unit] =
    seconds < MINUTE ? [Math.max(1, Math.ceil(seconds)), 'second'] : [Math.round(seconds / MINUTE), 'minute'];
  return `${count.toLocaleString('en')} ${count === 1 ? unit : `${unit}s`}`;
}

function Failure({ error }: { error: unknown }) {
  const details = errorDetails(error);
  const advice = adviceOf(details);
  return (
    <p className="upload-error" role="alert">
      Not attached. {messageText(details.message)} {advice}
    </p>
  );
}
