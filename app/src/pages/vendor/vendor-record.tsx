import { Button, Skeleton, Textarea, TextInput, Title, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { EvidenceSection } from '../../components/evidence/section.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { reloadWatching } from '../../components/inbox/watch-button.tsx';
import { Level } from '../../components/level.tsx';
import { Person } from '../../components/person/person.tsx';
import { ConflictDialog } from '../../components/record/conflict-dialog.tsx';
import { Fact, Facts, FieldsAsText } from '../../components/record/facts.tsx';
import { Description } from '../../components/record/fields/description.tsx';
import {
  AddressField,
  Choice,
  DateField,
  NumberField,
  OptionalChoice,
  Words,
} from '../../components/record/fields/inputs.tsx';
import { PersonField } from '../../components/record/fields/person-field.tsx';
import { RecordTitle } from '../../components/record/fields/record-title.tsx';
import { RecordPage } from '../../components/record/record-page.tsx';
import { useNames } from '../../components/record/use-names.ts';
import { useRecord } from '../../components/record/use-record.ts';
import type { Field } from '../../components/record/use-record.ts';
import { fieldLabel, monthsText } from '../../components/record/values.ts';
import { StatusDot, statusOptions, StatusSwatch } from '../../components/status-dot.tsx';
import { OPEN_STATUSES } from '../../components/task/choices.ts';
import { DueDate } from '../../components/task/due-date.tsx';
import { CalendarDate, Time } from '../../components/time.tsx';
import { Timeline } from '../../components/timeline/timeline.tsx';
import { say } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { criticalityOptions, criticalityText, VENDOR_STATUSES } from '../../components/vendor/choices.ts';
import type { Vendor } from '../../components/vendor/choices.ts';
import { contractWords, NearDate, NearNote, reviewWords } from '../../components/vendor/near-date.tsx';
import { dateIn, dateText, monthsLater } from '../../dates.ts';
import { ContactLines } from './contact-lines.tsx';
import { ContactsField } from './contacts-field.tsx';
import './review.css';
import './vendor-tasks.css';

/** A review as the API takes it. */
interface Review {
  note: string;
  nextReview: string | null;
}

interface ReviewDialogProps {
  vendor: Vendor;
  onReview: (review: Review) => Promise<unknown>;
  onClose: () => void;
}

/** Characters that a note may have. */
const MAX_NOTE = 2000;

/** Records that a person reviewed a vendor today, and when the next review is. */
function ReviewDialog({ vendor: { name, reviewEveryMonths }, onReview, onClose }: ReviewDialogProps) {
  const { company } = useSession();
  const today = dateIn(company.timeZone);
  const form = useServerForm({
    note: '',
    nextReview: reviewEveryMonths === null ? '' : monthsLater(today, reviewEveryMonths),
  });
  return (
    <FormDialog
      title={`Review ${name}`}
      submitLabel="Save review"
      opened
      onClose={onClose}
      form={form}
      onSubmit={async ({ note, nextReview: date }) => {
        const nextReview = date === '' ? null : date;
        await onReview({ note, nextReview });
        say(`${name} was reviewed${nextReview === null ? '' : `. The next review is on ${dateText(nextReview)}`}.`);
      }}
    >
      <Textarea
        label="Note"
        placeholder="What was checked, and the result"
        data-autofocus
        autosize
        minRows={3}
        maxRows={12}
        maxLength={MAX_NOTE}
        {...form.text('note')}
      />
      <TextInput
        type="date"
        label="Next review"
        description={
          reviewEveryMonths === null
            ? 'Without a date no further review is due.'
            : `Reviewed every ${monthsText(reviewEveryMonths)}. Without a date no further review is due.`
        }
        {...form.text('nextReview')}
      />
    </FormDialog>
  );
}

interface WebsiteLinkProps {
  href: string;
  /** Words of the link; by default what a click does. */
  text?: string;
}

/** A link to the site of a vendor, in a window of its own. */
const WebsiteLink = ({ href, text = 'Open the website' }: WebsiteLinkProps) => (
  <a href={href} target="_blank" rel="noopener noreferrer" className="field-link">
    {text}
  </a>
);

/** Fields of a vendor that a person edits on its page. */
type VendorValues = Pick<
  Vendor,
  | 'name'
  | 'description'
  | 'status'
  | 'website'
  | 'criticality'
  | 'owner'
  | 'labels'
  | 'dataCategories'
  | 'contractStart'
  | 'contractEnd'
  | 'reviewEveryMonths'
  | 'nextReview'
  | 'contacts'
>;

interface VendorFieldsProps {
  vendor: Vendor;
  field: <Name extends keyof VendorValues>(name: Name) => Field<VendorValues[Name]>;
}

/** The fields of a vendor beside its text. */
function VendorFields({ vendor, field }: VendorFieldsProps) {
  return (
    <>
      <Choice
        label="Status"
        field={field('status')}
        options={statusOptions(VENDOR_STATUSES)}
        icon={(value) => <StatusSwatch status={value} />}
      />
      <OptionalChoice label="Criticality" field={field('criticality')} options={criticalityOptions} />
      <PersonField label="Owner" toMe="Make me the owner" field={field('owner')} />
      <DateField label="Next review" field={field('nextReview')} note={<NearNote near={reviewWords(vendor)} />} />
      <NumberField label={fieldLabel('reviewEveryMonths')} field={field('reviewEveryMonths')} />
      <AddressField
        label="Website"
        field={field('website')}
        note={vendor.website !== null && <WebsiteLink href={vendor.website} />}
      />
      <DateField label="Contract start" field={field('contractStart')} />
      <DateField label="Contract end" field={field('contractEnd')} note={<NearNote near={contractWords(vendor)} />} />
      <Words label="Labels" field={field('labels')} />
      <Words label="Data categories" field={field('dataCategories')} />
      <ContactsField field={field('contacts')} />
    </>
  );
}

/** Tasks that are shown. */
const SHOWN = 10;

/** The tasks that name a vendor: those that are open, the next ones first, then the others, the last ones first. */
function VendorTasks({ vendor }: { vendor: string }) {
  const open = useQuery(trpc.task.listAll.queryOptions({ vendor, status: 'open', sort: 'dueDate', limit: SHOWN }));
  const all = useQuery(trpc.task.listAll.queryOptions({ vendor, sort: '-dueDate', limit: SHOWN }));
  const findName = useNames();
  const error = open.error ?? all.error;
  const isLoaded = open.data !== undefined && all.data !== undefined;
  const closed = all.data?.items?.filter(({ status }) => !OPEN_STATUSES.includes(status)) ?? [];
  const tasks = [...(open.data?.items ?? []), ...closed].slice(0, SHOWN);
  const total = all.data?.total ?? 0;
  return (
    <section aria-labelledby="vendor-tasks">
      <div className="vendor-tasks-top">
        <Title order={2} id="vendor-tasks">
          Tasks
        </Title>
        {total > 0 && (
          <Link to="/tasks" search={{ vendor }}>
            {total === 1 ? 'In the list of tasks' : `All ${total.toLocaleString('en')} tasks`}
          </Link>
        )}
      </div>
      {error !== null && (
        <ErrorMessage
          title="The tasks could not be loaded"
          error={error}
          onRetry={() => void Promise.all([open.refetch(), all.refetch()])}
        />
      )}
      {!isLoaded && error === null && <Skeleton h={40} />}
      {isLoaded && total === 0 && (
        <p className="quiet-text">No task names this vendor. A task names vendors on its page.</p>
      )}
      <ul className="vendor-tasks">
        {tasks.map((task) => (
          <li key={task.uniqueId}>
            <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: task.uniqueId }}>
              {task.title}
            </Link>
            <span className="vendor-task-facts">
              <StatusDot status={task.status} />
              <span>{findName('framework', task.framework)}</span>
              <DueDate task={task} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface VendorFactsProps {
  vendor: Vendor;
  /** True for an earlier state, whose dates are not compared with today. */
  isPast: boolean;
}

/** The fields of a vendor as text, for a person who may not change them. */
function VendorFacts({ vendor, isPast }: VendorFactsProps) {
  const { status, criticality, owner, nextReview, reviewEveryMonths, website, labels, dataCategories } = vendor;
  const { contractStart, contractEnd, contacts } = vendor;
  return (
    <>
      <Fact name="Status">
        <StatusDot status={status} />
      </Fact>
      <Fact name="Criticality">
        {criticality !== null && <Level level={criticality} label={criticalityText(criticality)} />}
      </Fact>
      <Fact name="Owner">{owner !== null && <Person name={owner.name} />}</Fact>
      <Fact name="Next review">
        {nextReview !== null && <NearDate value={nextReview} near={isPast ? undefined : reviewWords(vendor)} />}
      </Fact>
      <Fact name="Reviewed every">{reviewEveryMonths !== null && monthsText(reviewEveryMonths)}</Fact>
      <Fact name="Website">{website !== null && <WebsiteLink href={website} text={website} />}</Fact>
      <Fact name="Contract start">{contractStart !== null && <CalendarDate value={contractStart} />}</Fact>
      <Fact name="Contract end">
        {contractEnd !== null && <NearDate value={contractEnd} near={isPast ? undefined : contractWords(vendor)} />}
      </Fact>
      <Fact name="Labels">{labels.length > 0 && labels.join(', ')}</Fact>
      <Fact name="Data categories">{dataCategories.length > 0 && dataCategories.join(', ')}</Fact>
      <Fact name="Contacts">{contacts.length > 0 && <ContactLines contacts={contacts} />}</Fact>
    </>
  );
}

interface ReviewButtonProps {
  vendor: Vendor;
  onReview: (review: Review) => Promise<unknown>;
}

/** Opens the dialog of a review. An archived vendor is not reviewed. */
function ReviewButton({ vendor, onReview }: ReviewButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (vendor.status === 'archived')
    return (
      <Tooltip label="An archived vendor is not reviewed. Make it active first.">
        <Button data-disabled aria-disabled onClick={(event) => event.preventDefault()}>
          Review
        </Button>
      </Tooltip>
    );
  return (
    <>
      <Button ref={button} onClick={() => setIsOpen(true)}>
        Review
      </Button>
      {isOpen && (
        <ReviewDialog
          vendor={vendor}
          onReview={onReview}
          onClose={() => {
            setIsOpen(false);
            button.current?.focus();
          }}
        />
      )}
    </>
  );
}

/** When a vendor was last reviewed, by whom, and what they noted. */
const LastReview = ({ review }: { review: Vendor['lastReview'] }) => (
  <Fact name="Last review">
    {review !== null && (
      <>
        {review.by.name}, <Time value={review.at} withRelative />
        {review.note !== '' && <p className="review-note">{review.note}</p>}
      </>
    )}
  </Fact>
);

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
      <EvidenceSection parent={{ vendor }} readOnly={readOnly} />
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
