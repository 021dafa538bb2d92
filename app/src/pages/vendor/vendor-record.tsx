import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import { EvidencePart } from '../../components/evidence/start/evidence-part.tsx';
import { ConflictDialog } from '../../components/record/conflict/conflict-dialog.tsx';
import { Description } from '../../components/record/fields/description.tsx';
import { useRecord } from '../../components/record/edits/use-record.ts';
import { Fact, Facts, FieldsAsText } from '../../components/record/facts.tsx';
import { Choice } from '../../components/record/fields/inputs.tsx';
import { RecordPage } from '../../components/record/record-page.tsx';
import { RecordTitle } from '../../components/record/fields/record-title.tsx';
import { StatusDot, StatusSwatch, statusOptions } from '../../components/status-dot.tsx';
import { Timeline } from '../../components/timeline/timeline.tsx';
import { useSession } from '../../components/use-session.ts';
import { VENDOR_STATUSES } from '../../components/vendor/choices.ts';
import type { Vendor } from '../../components/vendor/choices.ts';

/** Fields of a vendor that a person edits on its page. */
type VendorValues = Pick<Vendor, 'name' | 'description' | 'status'>;

/** A vendor has no field with the name of something else. */
const noNames = () => undefined;

/** A vendor, which the person edits, or a state of the past. */
export function VendorRecord({ loaded, isPast }: { loaded: Vendor; isPast: boolean }) {
  const { canWrite } = useSession();
  const { uniqueId: vendor } = loaded;
  const history = trpc.vendor.history.queryKey({ vendor });
  const { item, field, conflict } = useRecord<VendorValues, Vendor>(loaded, {
    read: () => client.vendor.get.query({ vendor }),
    update: (changes, ifMatch) => client.vendor.updateAndGet.mutate({ ...changes, vendor, ifMatch }),
    onChange: () => void Promise.all([queryClient.invalidateQueries({ queryKey: history }), refreshLists()]),
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
      panel={
        <>
          {!readOnly && (
            <Choice
              label="Status"
              field={field('status')}
              options={statusOptions(VENDOR_STATUSES)}
              icon={(value) => <StatusSwatch status={value} />}
            />
          )}
          <Facts record={item}>
            <FieldsAsText readOnly={readOnly}>
              <Fact name="Status">
                <StatusDot status={item.status} />
              </Fact>
            </FieldsAsText>
          </Facts>
        </>
      }
    >
      <Description field={field('description')} readOnly={readOnly} />
      {!isPast && <EvidencePart parent={{ vendor }} readOnly={readOnly} />}
      <Timeline parent={{ vendor }} readOnly={readOnly} findName={noNames} />
      <ConflictDialog conflict={conflict} findName={noNames} />
    </RecordPage>
  );
}

const refreshLists = () => queryClient.invalidateQueries(trpc.vendor.page.pathFilter());
