/** Version of this build, which Vite sets. */
declare const APP_VERSION: string;

let version = APP_VERSION;
const listeners = new Set<() => void>();

/** Version of the service, from its last response. Another one than that of this build means that it was upgraded. */
export const serviceVersion = {
  get: (): string => version,
  isNew: (): boolean => version !== APP_VERSION,
  /** Reads the version from a response to a person who is signed in. */
  read: ({ headers }: Response): void => {
    const received = headers.get('X-Service-Version');
    if (received === null || received === version) return;
    version = received;
    listeners.forEach((listener) => listener());
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
