/** The wait for a new sign-in after the session ended. Requests that got 401 wait here and are then sent again. */
let waiting: PromiseWithResolvers<void> | undefined;
const listeners = new Set<() => void>();
const notify = () => listeners.forEach((listener) => listener());

export const sessionEnd = {
  /** Resolves after the next sign-in. */
  waitForSignIn: (): Promise<void> => {
    if (waiting === undefined) {
      waiting = Promise.withResolvers<void>();
      notify();
    }
    return waiting.promise;
  },
  /** Resumes the requests. */
  resume: (): void => {
    waiting?.resolve();
    waiting = undefined;
    notify();
  },
  isEnded: (): boolean => waiting !== undefined,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
