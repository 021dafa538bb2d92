import { createElement, useMemo } from 'react';
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
  return <div className={html.includes('<') ? 'rich-text' : 'rich-text plain'}>{content}</div>;
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
  return isVoid(tag) ? createElement(tag, props) : createElement(tag, props, ...withoutSpace(tag, children));
}

const withoutSpace = (tag: string, children: ReactNode[]) =>
  /^(?:table|thead|tbody|tfoot|tr|colgroup)$/.test(tag)
    ? children.filter((child) => typeof child !== 'string' || child.trim() !== '')
    : children;
