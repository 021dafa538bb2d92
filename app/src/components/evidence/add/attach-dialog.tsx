import { Text, TextInput } from '@mantine/core';
import { InputError } from '../../../api/errors.ts';
import { localDate } from '../../../dates.ts';
import { FormDialog } from '../../form/form-dialog.tsx';
import { useServerForm } from '../../form/use-server-form.ts';
import type { Parent } from '../../timeline/parent.ts';
import { sizeText } from '../size.ts';
import { evidenceName, pastedName } from '../uploads/names.ts';
import { upload } from '../uploads/uploads.ts';
import { ProofFields, checkDates } from './proof-fields.tsx';

interface AttachDialogProps {
  parent: Parent;
  files: readonly File[];
  isPasted: boolean;
  onClose: () => void;
}

/** Asks for the dates of files before they are attached. A single file can get another name. */
export function AttachDialog({ parent, files, isPasted, onClose }: AttachDialogProps) {
  const nameOf = isPasted ? pastedName : (name: string) => evidenceName(name);
  const single = files.length === 1 ? files[0] : undefined;
  const form = useServerForm({
    name: single === undefined ? '' : nameOf(single.name),
    date: localDate(),
    validUntil: '',
    note: '',
  });
  const attach = ({ name, ...fields }: typeof form.values) => {
    const empty = files.find(({ size }) => size === 0);
    if (empty !== undefined) throw new InputError(`“${empty.name}” has no bytes. Choose another file`);
    if (single !== undefined && name.trim() === '') throw new InputError('name: enter a name');
    checkDates(fields);
    upload(
      parent,
      files.map((file) => ({
        file,
        fields: { ...fields, name: evidenceName(single === undefined ? nameOf(file.name) : name) },
      })),
    );
    return Promise.resolve();
  };
  return (
    <FormDialog
      title={single === undefined ? `Attach ${files.length} files` : 'Attach a file'}
      submitLabel="Attach"
      opened
      onClose={onClose}
      form={form}
      onSubmit={async (values) => attach(values)}
    >
      {single === undefined ? (
        <ul className="attached-files">
          {files.map((file, index) => (
            <li key={index}>
              <bdi>{nameOf(file.name)}</bdi> <span className="none">{sizeText(file.size)}</span>
            </li>
          ))}
        </ul>
      ) : (
        <div>
          <TextInput label="Name" data-autofocus {...form.text('name')} />
          <Text size="xs" c="dimmed" mt={4}>
            {sizeText(single.size)}
          </Text>
        </div>
      )}
      <ProofFields form={form} />
    </FormDialog>
  );
}
