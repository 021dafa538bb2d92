import { createElement, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import './editor.css';
import { readPlainText } from './markup.ts';
import { blockType, isInline, isShownAttribute, isVoid } from './tags.ts';

interface SafeHtmlProps {
  html: string;
  /** Shows a text within it; by default as it is. */
  renderText?: (text: string) => ReactNode;
}

/** A stored description, built from allowed elements and attributes only. */
export function SafeHtml({ html, renderText = asItIs }: SafeHtmlProps) {
  const content = useMemo(
    () =>
      html.includes('<')
        ? toNodes(new DOMParser().parseFromString(html, 'text/html').body, renderText)
        : renderText(readPlainText(html)),
    [html, renderText],
  );
  return (
    <div className={html.includes('<') ? 'rich-text' : 'rich-text plain'} dir="auto">
      {content}
    </div>
  );
}

/** Parts that scroll in themselves, with their names for a screen reader. */
const WIDE: Readonly<Record<string, string>> = { table: 'Wide table', pre: 'Wide text' };

/** A part that the keyboard reaches and scrolls while it is wider than its place. */
function Scroller({ label, children }: { label: string; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  const [isWide, setIsWide] = useState(false);
  useEffect(() => {
    const box = ref.current;
    if (box === null) return undefined;
    const observer = new ResizeObserver(() => setIsWide(box.scrollWidth > box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={ref} className="scroller" {...(isWide && { tabIndex: 0, role: 'group', 'aria-label': label })}>
      {children}
    </div>
  );
}

const NAMES: Readonly<Record<string, string>> = { colspan: 'colSpan', rowspan: 'rowSpan', datetime: 'dateTime' };

type RenderText = NonNullable<SafeHtmlProps['renderText']>;
const asItIs: RenderText = (text) => text;

const toNodes = (parent: Element, renderText: RenderText): ReactNode[] =>
  [...parent.childNodes].map((node, index) =>
    node instanceof Element ? toElement(node, index, renderText) : renderText(node.textContent ?? ''),
  );

function toElement(element: Element, key: number, renderText: RenderText): ReactNode {
  const { localName } = element;
  const children = toNodes(element, renderText);
  if (!isInline(localName) && blockType(localName) === undefined) return children;
  return safeElement(element, key, children);
}

/** An allowed element with its allowed attributes, and these children. */
export function safeElement(element: Element, key: number, children: ReactNode[], tag = element.localName): ReactNode {
  const attributes = [...element.attributes]
    .filter(({ name, value }) => isShownAttribute(name, value))
    .map(({ name, value }) => [NAMES[name] ?? name, name === 'reversed' ? true : value]);
  const props = { ...Object.fromEntries(attributes), ...(tag === 'a' && { rel: 'noopener noreferrer' }), key };
  // White space between the parts of a table is not text in React.
  if (isVoid(tag)) return createElement(tag, props);
  const built = createElement(tag, props, ...withoutSpace(tag, children));
  const label = WIDE[tag];
  return label === undefined ? (
    built
  ) : (
    <Scroller key={key} label={label}>
      {built}
    </Scroller>
  );
}

const withoutSpace = (tag: string, children: ReactNode[]) =>
  /^(?:table|thead|tbody|tfoot|tr|colgroup)$/.test(tag)
    ? children.filter((child) => typeof child !== 'string' || child.trim() !== '')
    : children;
