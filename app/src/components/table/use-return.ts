import { useRouter } from '@tanstack/react-router';
import { isEntryBefore, lastAddress } from './visits.ts';

/** The way back to a list as the person left it: filters, position and selection. @param path of the list */
export function useReturn(path: string) {
  const { history, navigate } = useRouter();
  const href = lastAddress(path);
  const goBack = (options: { ignoreBlocker?: boolean } = {}) => {
    if (isEntryBefore(path, history.location.state.__TSR_index)) history.back(options);
    else void navigate({ href, ...options });
  };
  return { href, goBack };
}
