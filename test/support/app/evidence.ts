import type { Page } from 'playwright-core';
import { createCompany } from '../tenants/company.ts';
import { createMember } from '../tenants/member.ts';
import type { TestMember } from '../tenants/member.ts';
import { applicationOrigin } from './application.ts';

/** A picture of 10 x 10 pixels. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP8z4APMOGVHbHSAEEsAROxCnMTAAAAAElFTkSuQmCC',
  'base64',
);

export interface TestFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

export const textFile = (name: string, content = name): TestFile => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
});

/** A date some days from today, as the browser sees it. */
export const day = (days = 0) => {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
};

/** A task of a new company. `stored` reads its evidence, oldest first. */
export async function createTask() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann Lee' });
  const { uniqueId: taskUniqueId } = await ann.caller.task.create({ framework: company.framework, title: 'Review' });
  const stored = async () => (await ann.caller.evidence.list({ taskUniqueId })).items.toReversed();
  return { company, ann, taskUniqueId, path: `/tasks/${taskUniqueId}`, stored };
}

/** Attaches a file as the application does, without its page. */
export async function addFile({ token }: Pick<TestMember, 'token'>, path: string, file: TestFile): Promise<void> {
  const origin = applicationOrigin();
  const query = new URLSearchParams({ name: file.name });
  const response = await fetch(`${origin}/session/${path}/evidence/new?${query.toString()}`, {
    method: 'POST',
    headers: {
      Cookie: `session-${new URL(origin).port}=${token}`,
      Origin: origin,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': file.mimeType,
    },
    body: new Uint8Array(file.buffer),
  });
  if (response.status !== 201) throw new Error(await response.text());
}

/** The part of the page with the evidence. */
export const evidenceOf = (page: Page) => page.getByRole('region', { name: 'Evidence' });

/** The button with the name of a piece of evidence, which unfolds it. */
export const nameButton = (page: Page, name: string) => evidenceOf(page).getByRole('button', { name, exact: true });

/** Chooses files with the button. */
export async function chooseFiles(page: Page, files: TestFile[]): Promise<void> {
  await page.getByRole('button', { name: 'Attach file' }).waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Attach file' }).click(),
  ]);
  await chooser.setFiles(files);
}

/** Presses the button of the dialog. */
export const confirmAttach = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Attach', exact: true }).click();

/** Files and texts of a drag, or of the clipboard. */
interface Transfer {
  files?: TestFile[];
  texts?: Record<string, string>;
}

/** Sends the events of a drop, or a paste, to an element. */
export async function transfer(page: Page, kind: 'drag' | 'drop' | 'paste', target: string, data: Transfer) {
  const files = (data.files ?? []).map(({ name, mimeType, buffer }) => ({
    name,
    mimeType,
    content: buffer.toString('base64'),
  }));
  await page.evaluate(
    `(({ kind, target, files, texts }) => {
      const data = new DataTransfer();
      for (const { name, mimeType, content } of files)
        data.items.add(new File([Uint8Array.fromBase64(content)], name, { type: mimeType }));
      for (const [type, text] of Object.entries(texts)) data.setData(type, text);
      const init = { bubbles: true, cancelable: true };
      const element = document.querySelector(target);
      if (kind === 'paste') return element.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
      element.dispatchEvent(new DragEvent('dragover', { ...init, dataTransfer: data }));
      if (kind === 'drop') element.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }));
    })(${JSON.stringify({ kind, target, files, texts: data.texts ?? {} })})`,
  );
}
