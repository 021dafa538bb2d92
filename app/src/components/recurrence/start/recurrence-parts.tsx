import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import type { ComponentProps } from 'react';
import { lazyPart } from '../../upgrade/lazy-part.tsx';
import type { RecurrenceFormProps } from '../recurrence-form.tsx';

const Text = lazyPart(async () => (await import('../recurrence-text.tsx')).RecurrenceText);
const Form = lazyPart(async () => (await import('../recurrence-form.tsx')).RecurrenceForm);

/** A recurrence in words. Its code loads with the first task that recurs. */
export const RecurrenceText = (props: ComponentProps<typeof Text>) => (
  <Suspense fallback={<Skeleton h={20} />}>
    <Text {...props} />
  </Suspense>
);

/** The fields of a recurrence. Their code loads when a person opens them. */
export const RecurrenceForm = (props: RecurrenceFormProps) => (
  <Suspense fallback={<Skeleton h={56} />}>
    <Form {...props} />
  </Suspense>
);
