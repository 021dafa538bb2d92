import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import { reloadWatching } from '../../components/inbox/watch-button.tsx';
import { EvidenceSection } from '../../components/evidence/section.tsx';
import { ConflictDialog } from '../../components/record/conflict/conflict-dialog.tsx';
import { Description } from '../../components/record/fields/description.tsx';
import { useRecord } from '../../components/record/edits/use-record.ts';
import { Facts, FieldsAsText } from '../../components/record/facts.tsx';
import { RecordPage } from '../../components/record/record-page.tsx';
import { RecordTitle } from '../../components/record/fields/record-title.tsx';
import { Timeline } from '../../components/timeline/timeline.tsx';
import { useSession } from '../../components/use-session.ts';
import type { Vendor } from '../../components/vendor/choices.ts';
import { VendorFacts } from './fields/vendor-facts.tsx';
import { VendorFields } from './fields/vendor-fields.tsx';
import type { VendorValues } from './fields/vendor-fields.tsx';
import { LastReview } from './review/last-review.tsx';
import { ReviewButton } from './review/review-button.tsx';
import { VendorTasks } from './vendor-tasks.tsx';

/** A vendor has no field with the name of something else. */
const noNames = () => undefined;

/** A vendor, which the person edits and reviews, or a state of the past. */
export function VendorRecord({ loaded, isPast }: { loaded: Vendor; isPast: boolean }) {
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
  return (
    <RecordPage
      type="vendor"
      parent={{ vendor }}
      title={item.name}
      onDelete={readOnly ? undefined : remove}
      heading={<RecordTitle label="Name" field={field('name')} readOnly={readOnly} />}
      action={
        !readOnly && (
          <ReviewButton
            vendor={item}
            onReview={(review) => apply(() => client.vendor.review.mutate({ ...review, vendor }))}
          />
        )
      }
      panel={
        <>
          {!readOnly && <VendorFields vendor={item} field={field} />}
          <Facts record={item}>
            <FieldsAsText readOnly={readOnly}>
              <VendorFacts vendor={item} isPast={isPast} />
            </FieldsAsText>
            <LastReview review={item.lastReview} />
          </Facts>
        </>
      }
    >
      <Description field={field('description')} readOnly={readOnly} />
      {!isPast && <VendorTasks vendor={vendor} />}
      {!isPast && <EvidenceSection parent={{ vendor }} readOnly={readOnly} />}
      <Timeline parent={{ vendor }} readOnly={readOnly} findName={noNames} />
      <ConflictDialog conflict={conflict} findName={noNames} />
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
