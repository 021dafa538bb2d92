import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../error-text.ts';
import { openDialog } from '../form/dialog.tsx';
import { StatusDot } from '../status-dot.tsx';
import { Time } from '../time.tsx';
import type { Parent } from '../timeline/parent.ts';
import { fail } from '../undo/undo.ts';
import { useAsOf } from '../use-as-of.ts';
import { reloadEvidence } from './evidence.ts';
import type { Evidence } from './evidence.ts';

type Check = Omit<Inputs['evidence']['check'], 'evidence' | 'ifMatch'>;

/** Characters that a note may have. */
const MAX_NOTE = 2000;

/** Who accepted or rejected a piece of evidence, when and why. Nothing without a check. */
export function CheckResult({ item: { check } }: { item: Evidence }) {
  const isShown = useAsOf();
  if (check === null || !isShown(check.at)) return null;
  const { result, note, at, by } = check;
  return (
    <div className="evidence-check">
      <StatusDot status={result} />
      <span>
        by {by.name}, <Time value={at} />
      </span>
      {note !== '' && <p className="evidence-note">{note}</p>}
    </div>
  );
}

interface CheckButtonsProps {
  item: Evidence;
  parent: Parent;
}

/** Accepts or rejects a piece of evidence, or withdraws that. */
export function CheckButtons({ item: { uniqueId: evidence, name, check }, parent }: CheckButtonsProps) {
  const [isSaving, setIsSaving] = useState(false);
  const save = async (given: Check) => {
    await client.evidence.check.mutate({ ...given, evidence });
    await reloadEvidence(parent);
  };
  const saveNow = async (given: Check) => {
    setIsSaving(true);
    try {
      await save(given);
    } catch (error) {
      fail({ title: `“${name}” could not be checked`, reasons: [messageText(errorDetails(error).message)] });
    } finally {
      setIsSaving(false);
    }
  };
  const reject = () =>
    openDialog({
      title: `Reject “${name}”`,
      text: 'Your note goes to the inbox of the person who added the evidence and of the person who is responsible for it.',
      initial: { note: '' },
      fields: (form) => (
        <Textarea
          label="Note"
          placeholder="What is wrong or missing"
          data-autofocus
          autosize
          minRows={3}
          maxRows={12}
          maxLength={MAX_NOTE}
          {...form.text('note')}
        />
      ),
      button: 'Reject',
      color: 'red.9',
      submit: ({ note }) => save({ result: 'rejected', note }),
    });
  const buttons = [
    { word: 'Accept', isOffered: check?.result !== 'accepted', run: () => void saveNow({ result: 'accepted' }) },
    { word: 'Reject', isOffered: check?.result !== 'rejected', run: reject },
    { word: 'Withdraw', isOffered: check !== null, run: () => void saveNow({ result: null }) },
  ];
  return (
    <span className="evidence-buttons screen-only">
      {buttons
        .filter(({ isOffered }) => isOffered)
        .map(({ word, run }) => (
          <Button
            key={word}
            variant="default"
            size="compact-xs"
            aria-label={`${word}${word === 'Withdraw' ? ' the check of' : ''} ${name}`}
            disabled={isSaving}
            onClick={run}
          >
            {word}
          </Button>
        ))}
    </span>
  );
}
