/** What the last navigation changed, until the person presses a key or a button: the page, or only its title, as a view does. */
let arrival: 'page' | 'title' | undefined;

/** Says that another address will be shown. */
export function arriveAt({ isPage }: { isPage: boolean }): void {
  arrival = isPage ? 'page' : 'title';
}

const stay = (): void => {
  arrival = undefined;
};

function focusHeading(): void {
  const heading = document.querySelector('h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Id of the live region with the title of the page that a person came to. */
export const ANNOUNCER = 'announcer';

/** Announces a page that is shown after a navigation, and moves the focus to its heading. A field that took the focus keeps it. */
export function announcePage(title: string): void {
  if (arrival === undefined) return;
  const announcer = document.querySelector(`#${ANNOUNCER}`);
  if (announcer !== null) announcer.textContent = title;
  if (arrival === 'page' && document.activeElement?.matches('input, textarea') !== true) focusHeading();
}

/** Number of elements that are remembered: those of a few dialogs, one above the other. */
const MAX_REMEMBERED = 20;

/**
 * Returns the focus when a dialog, a menu or a heading is removed that had it: to the element before, for a menu to its button, and
 * for a heading to the one that replaces it. Browsers move it to the body, so that the keyboard would start at the top again.
 * @returns a function that ends it
 */
export function keepFocus(): () => void {
  let focused: Element[] = [];
  const remember = ({ target }: Event) => {
    if (!(target instanceof Element)) return;
    const button = target.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? null;
    const opener = button === null ? null : document.querySelector(`#${CSS.escape(button)}`);
    const added = opener === null ? [target] : [opener, target];
    focused = [...focused.filter((element) => !added.includes(element)), ...added].slice(-MAX_REMEMBERED);
  };
  const giveBack = () => {
    const last = focused.at(-1);
    if (document.activeElement !== document.body || last === undefined || last.isConnected) return;
    if (last.matches('h1')) focusHeading();
    if (last.closest('[role=dialog], [role=menu]') === null) return;
    focused = focused.filter((element) => element.isConnected);
    const target = focused.findLast((element) => element instanceof HTMLElement && element.getClientRects().length > 0);
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    else focusHeading();
  };
  const end = new AbortController();
  document.addEventListener('focusin', remember, end);
  document.addEventListener('keydown', stay, { capture: true, signal: end.signal });
  document.addEventListener('pointerdown', stay, { capture: true, signal: end.signal });
  const observer = new MutationObserver(giveBack);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    end.abort();
    observer.disconnect();
  };
}
