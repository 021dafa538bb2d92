import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';

const EVENT = 'export-requested';
/** True until a list opens its menu: it may still load. */
let isRequested = false;

/** Opens the menu "Export" of the list that is shown, or of the next one. */
export function requestExport(): void {
  isRequested = true;
  window.dispatchEvent(new Event(EVENT));
}

function takeRequest(): boolean {
  const wasRequested = isRequested;
  isRequested = false;
  return wasRequested;
}

/** State of the menu "Export", which a request opens. */
export function useExportRequest() {
  const [opened, onChange] = useState(takeRequest);
  useWindowEvent(EVENT, () => onChange(takeRequest()));
  return { opened, onChange };
}
