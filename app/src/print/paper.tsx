import { useHotkeys } from '@mantine/hooks';
import { useEffect } from 'react';
import { useSession } from '../components/use-session.ts';
import { timeText } from '../dates.ts';
import { printPage, usePrinting } from './printing.ts';

/** The page as a document: black on white, with company and time at the foot of each sheet. */
export function Paper() {
  const { company } = useSession();
  const isPrinting = usePrinting();
  useHotkeys([['mod+P', () => void printPage()]], []);
  useEffect(() => {
    if (!isPrinting) return undefined;
    const root = document.documentElement;
    const scheme = root.dataset['mantineColorScheme'];
    root.dataset['mantineColorScheme'] = 'light';
    return () => {
      root.dataset['mantineColorScheme'] = scheme;
    };
  }, [isPrinting]);
  // The margin boxes of a sheet take only text of style sheets.
  useEffect(() => {
    const write = () => {
      const text = `${company.name}, ${timeText(new Date().toISOString())}`;
      document.documentElement.style.setProperty('--paper-foot', JSON.stringify(text));
    };
    write();
    window.addEventListener('beforeprint', write);
    return () => window.removeEventListener('beforeprint', write);
  }, [company.name]);
  return null;
}
