import { useEffect, useState } from 'react';

/** Milliseconds for which a button says that it copied. */
const FEEDBACK_MS = 1000;

/** Copies a text to the clipboard, and says so for a moment. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return { copied, copy: (text) => void copyText(text).then(setCopied) };
}

/** @returns false if the browser did not copy the text */
async function copyText(text: string): Promise<boolean> {
  // Types say that it is always there, but pages of http have none.
  if (!('clipboard' in navigator)) return copySelection(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copySelection(text),
  );
}

/** Copies a text as a person who selects it does, which works on every page. */
function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // Beside the button, because a dialog takes the focus back from the rest of the page.
  (focused?.parentElement ?? document.body).append(field);
  field.focus({ preventScroll: true });
  field.select();
  // Deprecated, and nothing else copies without the clipboard of https.
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
