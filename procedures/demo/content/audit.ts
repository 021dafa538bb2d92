/** The seed with which the auditor draws the sample, and the number of tasks in it. */
export const SAMPLE = { seed: 'surveillance audit', size: 10 } as const;

/** Questions of the auditor about tasks of the sample, by their position. Those without an answer are open. */
export const QUESTIONS: Readonly<Record<number, { text: string; answer?: string; isResolved?: boolean }>> = {
  1: {
    text: '<p>Which systems were in scope? The report names twelve, the inventory has fourteen.</p>',
    answer: '<p>The two others were switched off in the quarter before. The inventory is corrected.</p>',
    isResolved: true,
  },
  3: {
    text: '<p>Who approved the exception on page two?</p>',
    answer: '<p>The head of IT, on the phone. I will add a note in writing.</p>',
  },
  6: { text: '<p>How was the sample of 25 items drawn?</p>' },
};

/** Reason for which the auditor rejects the evidence of a task, by its position in the sample. */
export const REJECTIONS: Readonly<Record<number, string>> = {
  4: 'The list ends one month before the period does. Please add the rest.',
};

export const ACCEPTED_NOTES = ['', '', 'Seen in the original.', 'Agrees with the log.'] as const;

/** A question about a vendor, which waits for its owner. */
export const VENDOR_QUESTION = '<p>The report of the vendor covers nine months. What covers the other three?</p>';
