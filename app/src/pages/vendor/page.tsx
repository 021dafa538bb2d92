import { Button, NativeSelect, SimpleGrid, Textarea, TextInput, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import type { Inputs as ApiInputs } from '../../api/client.ts';
import { openDialog } from '../../components/form/dialog.tsx';
import { reloadWatching } from '../../components/inbox/watch-button.tsx';
import { Fact } from '../../components/record/fields.tsx';
import { RecordLoading, RecordPage } from '../../components/record/record-page.tsx';
import { recordQuery, useRecord } from '../../components/record/use-record.ts';
import { monthsText } from '../../components/record/values.ts';
import { statusOptions } from '../../components/status-dot.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { LinkedTasks } from '../../components/task/linked-tasks.tsx';
import { Time } from '../../components/time.tsx';
import { say } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { OUTCOMES, riskOptions } from '../../components/vendor/choices.ts';
import type { Vendor } from '../../components/vendor/choices.ts';
import { vendorFields } from '../../components/vendor/fields.tsx';
import type { VendorValues } from '../../components/vendor/fields.tsx';
import { Outcome } from '../../components/vendor/outcome.tsx';
import { dateIn, dateText, monthsLater } from '../../dates.ts';

/** A review as the API takes it. */
type Review = Omit<ApiInputs['vendor']['review'], 'vendor' | 'ifMatch'>;

/** Value of a choice that nobody made. */
const NONE = '';

/** Characters that a note may have. */
const MAX_NOTE = 2000;

interface ReviewButtonProps {
  vendor: Vendor;
  onReview: (review: Review) => Promise<unknown>;
}

/** Records that a person reviewed a vendor today, and when the next review is. An archived vendor is not reviewed. */
function ReviewButton({ vendor: { name, status, reviewEveryMonths }, onReview }: ReviewButtonProps) {
  const { company } = useSession();
  if (status === 'archived')
    return (
      <Tooltip label="An archived vendor cannot be reviewed. Make it active first.">
        <Button data-disabled aria-disabled onClick={(event) => event.preventDefault()}>
          Review
        </Button>
      </Tooltip>
    );
  const every = reviewEveryMonths === null ? '' : `Reviewed every ${monthsText(reviewEveryMonths)}. `;
  const review = () =>
    openDialog({
      title: `Review ${name}`,
      initial: {
        outcome: NONE,
        risk: NONE,
        note: '',
        nextReview: reviewEveryMonths === null ? '' : monthsLater(dateIn(company.timeZone), reviewEveryMonths),
      },
      fields: (form) => (
        <>
          <SimpleGrid cols={2} spacing="md">
            <NativeSelect
              label="Outcome"
              data-autofocus
              data={[{ value: NONE, label: 'None' }, ...statusOptions(OUTCOMES)]}
              {...form.text('outcome')}
            />
            <NativeSelect label="Risk" data={[{ value: NONE, label: 'None' }, ...riskOptions]} {...form.text('risk')} />
          </SimpleGrid>
          <Textarea
            label="Note"
            placeholder="What was checked, and the result"
            autosize
            minRows={3}
            maxRows={12}
            maxLength={MAX_NOTE}
            {...form.text('note')}
          />
          <TextInput
            type="date"
            label="Next review"
            description={`${every}Without a date, no further review is due.`}
            {...form.text('nextReview')}
          />
        </>
      ),
      button: 'Save review',
      submit: async ({ outcome: chosen, risk, note, nextReview: entered }) => {
        const nextReview = entered === '' ? null : entered;
        const outcome = OUTCOMES.find((one) => one === chosen);
        await onReview({
          note,
          nextReview,
          ...(outcome !== undefined && { outcome }),
          ...(risk !== NONE && { risk: Number(risk) }),
        });
        say(`${name} was reviewed${nextReview === null ? '' : `. The next review is on ${dateText(nextReview)}`}.`);
      },
    });
  return <Button onClick={review}>Review</Button>;
}

/** When a vendor was last reviewed, by whom, and what they noted. */
const LastReview = ({ review }: { review: Vendor['lastReview'] }) => (
  <Fact name="Last review">
    {review !== null && (
      <>
        <div>
          <Outcome review={review} />
        </div>
        {review.by.name}, <Time value={review.at} withRelative />
        {review.note !== '' && (
          <p className="timeline-note" dir="auto">
            {review.note}
          </p>
        )}
      </>
    )}
  </Fact>
);

/** A vendor has no field with the name of something else. */
const noNames = () => undefined;

/** A vendor, which the person edits and reviews, or a state of the past. */
function VendorRecord({ loaded, isPast }: { loaded: Vendor; isPast: boolean }) {
  const { canWrite } = useSession();
  const { uniqueId: vendor } = loaded;
  const history = trpc.vendor.history.queryKey({ vendor });
  const { item, field, conflict, apply } = useRecord<VendorValues, Vendor>(loaded, {
    read: () => client.vendor.get.query({ vendor }),
    update: (changes, ifMatch) => client.vendor.updateAndGet.mutate({ ...toInput(changes), vendor, ifMatch }),
    onChange: () =>
      void Promise.all([
        queryClient.invalidateQueries({ queryKey: history }),
        reloadWatching({ vendor }),
        refreshLists(),
      ]),
  });
  const readOnly = isPast || !canWrite;
  const remove = async () => {
    await client.vendor.delete.mutate({ vendor }, sentOnLeave);
    // A person who went back meanwhile sees that the vendor is gone.
    await Promise.all([refreshLists(), queryClient.resetQueries(trpc.vendor.get.queryFilter({ vendor }))]);
  };
  const review = (given: Review) => apply(() => client.vendor.review.mutate({ ...given, vendor }));
  return (
    <RecordPage<VendorValues>
      type="vendor"
      parent={{ vendor }}
      record={item}
      name={item.name}
      title={field('name')}
      description={field('description')}
      fields={vendorFields(item, isPast)}
      mainFields={['status', 'owner', 'nextReview']}
      field={field}
      findName={noNames}
      facts={<LastReview review={item.lastReview} />}
      readOnly={readOnly}
      action={!readOnly && <ReviewButton vendor={item} onReview={review} />}
      conflict={conflict}
      onDelete={remove}
    >
      {!isPast && (
        <LinkedTasks
          of={{ vendor }}
          empty="No tasks reference this vendor yet. You can link vendors on a task's page."
        />
      )}
    </RecordPage>
  );
}

/** Changed fields as the API takes them. */
const toInput = ({ owner, ...changes }: Partial<VendorValues>) => ({
  ...changes,
  ...(owner !== undefined && { ownerId: owner?.uniqueId ?? null }),
});

const refreshLists = () =>
  Promise.all([
    queryClient.invalidateQueries(trpc.vendor.page.pathFilter()),
    queryClient.invalidateQueries(trpc.overview.vendorReviews.pathFilter()),
  ]);

export function Page() {
  const { uniqueId: vendor = '' } = useParams({ strict: false });
  const [search] = useSearch(['asOf']);
  const { data, error, refetch } = useQuery({ ...trpc.vendor.get.queryOptions({ vendor, ...search }), ...recordQuery });
  if (data === undefined) return <RecordLoading type="vendor" error={error} onRetry={() => void refetch()} />;
  return <VendorRecord key={`${vendor} ${search.asOf}`} loaded={data} isPast={search.asOf !== undefined} />;
}
