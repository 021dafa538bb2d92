import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { AutoSaveText } from '../../components/form/auto-save-text.tsx';
import { ConflictDialog } from '../../components/record/conflict-dialog.tsx';
import { Description } from '../../components/record/description.tsx';
import { Facts } from '../../components/record/facts.tsx';
import { Choice } from '../../components/record/fields.tsx';
import { History } from '../../components/record/history.tsx';
import { RecordPage } from '../../components/record/record-page.tsx';
import { useRecord } from '../../components/record/use-record.ts';
import { StatusSwatch, statusOptions } from '../../components/status-dot.tsx';
import { useSession } from '../../components/use-session.ts';
import { VENDOR_STATUSES } from '../../components/vendor/choices.ts';
import type { Vendor } from '../../components/vendor/choices.ts';

type VendorChanges = Omit<Inputs['vendor']['update'], 'vendor' | 'ifMatch'>;

/** A vendor has no field with the name of something else. */
const noNames = () => undefined;

/** A vendor, which the person edits, or a state of the past. */
export function VendorRecord({ loaded, isPast }: { loaded: Vendor; isPast: boolean }) {
  const { canWrite } = useSession();
  const { uniqueId: vendor } = loaded;
  const history = trpc.vendor.history.queryKey({ vendor });
  const { item, save, conflict } = useRecord<Vendor, VendorChanges>(loaded, {
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
      uniqueId={vendor}
      title={item.name}
      onDelete={readOnly ? undefined : remove}
      panel={
        <>
          <Choice
            label="Status"
            name="status"
            value={item.status}
            options={statusOptions(VENDOR_STATUSES)}
            icon={(status) => <StatusSwatch status={status} />}
            onSave={(status) => save({ status: VENDOR_STATUSES.find((one) => one === status) })}
            readOnly={readOnly}
          />
          <Facts record={item} />
        </>
      }
    >
      <AutoSaveText label="Name" name="name" value={item.name} onSave={(name) => save({ name })} readOnly={readOnly} />
      <Description value={item.description} onSave={(description) => save({ description })} readOnly={readOnly} />
      <History
        procedureKey={history}
        loadPage={(position, options) => client.vendor.history.query({ vendor, ...position }, options)}
        findName={noNames}
      />
      <ConflictDialog conflict={conflict} findName={noNames} />
    </RecordPage>
  );
}

const refreshLists = () => queryClient.invalidateQueries(trpc.vendor.page.pathFilter());
