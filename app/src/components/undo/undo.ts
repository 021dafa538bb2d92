import { useSyncExternalStore } from 'react';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../error-text.ts';

/** A sentence at the bottom of the window about what was done. */
interface Message {
  id: number;
  text: string;
  /** Missing if the action cannot be undone. */
  undo?: () => void;
  /** uniqueId of the task to which the sentence leads. */
  leadsTo?: string;
  /** Sends the request of a delayed action when the message goes. Resolves to true if it succeeded. */
  send?: () => Promise<boolean>;
}

/** An action that failed while the person did something else. */
export interface Failure {
  /** "2 tasks could not be changed" */
  title: string;
  /** Effect of the failure, or the next step. */
  advice?: string;
  reasons: readonly string[];
}

interface State {
  message: Message | undefined;
  failures: readonly Failure[];
  /** Keys of the things whose deletion or archiving is not yet sent. Lists leave them out. */
  hidden: ReadonlySet<string>;
}

let state: State = { message: undefined, failures: [], hidden: new Set() };
let lastId = 0;
const sending = new Set<Promise<boolean>>();
const listeners = new Set<() => void>();

const change = (changes: Partial<State>): void => {
  state = { ...state, ...changes };
  listeners.forEach((listener) => listener());
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const hide = (key: string | undefined) => {
  if (key !== undefined) change({ hidden: new Set(state.hidden).add(key) });
};
const unhide = (key: string | undefined) => change({ hidden: new Set([...state.hidden].filter((one) => one !== key)) });

export const useUndo = (): State => useSyncExternalStore(subscribe, () => state);

/** Keys of the things that lists leave out. */
export const useHidden = (): State['hidden'] => useSyncExternalStore(subscribe, () => state.hidden);

/** Shows a message. The one before it goes. @param undo takes the action back */
export const say = (text: string, undo?: () => void): void => show({ text, ...(undo !== undefined && { undo }) });

/** Shows a message that leads to a task. */
export const sayWithLink = (text: string, taskUniqueId: string): void => show({ text, leadsTo: taskUniqueId });

function show(message: Omit<Message, 'id'>): void {
  endMessage();
  lastId += 1;
  change({ message: { id: lastId, ...message } });
}

interface DelayedAction {
  /** Key of the thing that lists leave out meanwhile; missing if they leave out nothing. */
  key?: string;
  /** "“Cloud Ltd” was deleted." */
  text: string;
  /** "“Cloud Ltd” could not be deleted" */
  failure: string;
  /** Sends the request with `sentOnLeave`, and then loads the lists again. */
  send: () => Promise<unknown>;
  /** Takes back what the page shows beside the key. */
  undo?: () => void;
}

/** Shows the result of an action at once, and sends its request when the message goes. Until then it can be undone. */
export function delay({ key, text, failure, send, undo }: DelayedAction): void {
  const sendNow = async () => {
    try {
      await send();
      return true;
    } catch (error) {
      fail({ title: failure, reasons: [messageText(errorDetails(error).message)] });
      return false;
    } finally {
      unhide(key);
    }
  };
  say(text, () => {
    unhide(key);
    undo?.();
  });
  hide(key);
  if (state.message !== undefined) change({ message: { ...state.message, send: sendNow } });
}

/** Removes the message, and sends what it delayed. */
export function endMessage(): void {
  const { message } = state;
  change({ message: undefined });
  if (message?.send === undefined) return;
  const sent = message.send();
  sending.add(sent);
  void sent.then(() => sending.delete(sent));
}

/** Takes back the action of the message. */
export function undoMessage(): void {
  const { message } = state;
  if (message?.undo === undefined) return;
  change({ message: undefined });
  message.undo();
}

/** Sends what is delayed, before the session changes. @throws Error if that failed */
export async function sendDelayed(): Promise<void> {
  endMessage();
  const results = await Promise.all(sending);
  if (results.includes(false)) throw new Error('The last action failed. Read its message, then try again.');
}

/** Shows a failure. It replaces one with the same title. */
export const fail = (failure: Failure): void =>
  change({ failures: [...state.failures.filter(({ title }) => title !== failure.title), failure] });
export const closeFailure = (failure: Failure): void =>
  change({ failures: state.failures.filter((one) => one !== failure) });
export const closeFailures = (): void => change({ failures: [] });
