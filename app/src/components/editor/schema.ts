import { Extension, Mark, Node } from '@tiptap/core';
import type { Attributes } from '@tiptap/core';
import { readAttributes, writeAttributes } from './markup.ts';
import { CELLS, CONTAINERS, INLINE, LISTS, POINTS, TABLE_SECTIONS, TEXT_BLOCKS, isShownAttribute } from './tags.ts';

// Nodes keep the tag and the attributes that are stored, so that writing a document changes nothing else.

const shownAttributes = (element: Element) =>
  [...element.attributes].map(({ name, value }) => [name, value] as const).filter((one) => isShownAttribute(...one));

const tagAttributes = (tag: string): Attributes => ({
  tag: { default: tag, rendered: false, parseHTML: ({ localName }) => localName },
  attributes: {
    default: '',
    rendered: false,
    parseHTML: (element) => writeAttributes(shownAttributes(element).filter(([name]) => name !== 'type')),
  },
});

const spaceAttributes: Attributes = {
  /** White space before the start tag and before the end tag. */
  lead: { default: '', rendered: false, parseHTML: () => '' },
  tail: { default: '', rendered: false, parseHTML: () => '' },
};

/** An element as the editor shows it. */
function shown({ attrs }: { attrs: Record<string, unknown> }): [string, Record<string, string>] {
  const attributes = readAttributes(String(attrs['attributes'])).filter((one) => isShownAttribute(...one));
  return [String(attrs['tag']), Object.fromEntries(attributes)];
}

interface BlockOptions {
  tags: readonly string[];
  content: string;
  group?: string;
}

const block = (name: string, { tags, content, group = '' }: BlockOptions) =>
  Node.create({
    name,
    group,
    content,
    // Line breaks of stored texts must survive typing beside them.
    whitespace: 'pre',
    defining: true,
    addAttributes: () => ({ ...tagAttributes(tags[0] ?? ''), ...spaceAttributes }),
    parseHTML: () => tags.map((tag) => ({ tag: tag === 'div' ? 'div[dir], div[lang]' : tag })),
    renderHTML: ({ node }) => (content === '' ? shown(node) : [...shown(node), 0]),
  });

const doc = Node.create({
  name: 'doc',
  topNode: true,
  content: 'block+',
  addAttributes: () => ({ tail: { default: '', rendered: false } }),
});

const text = Node.create({ name: 'text', group: 'inline' });

/** Text without an element of its own, for example directly in a list item. */
const bare = Node.create({
  name: 'bare',
  priority: 1000,
  group: 'block',
  content: 'inline*',
  whitespace: 'pre',
  parseHTML: () => [{ tag: 'div.bare' }],
  renderHTML: () => ['div', { class: 'bare' }, 0],
});

/** A line break, or an inline element without content. */
const point = Node.create({
  name: 'point',
  group: 'inline',
  inline: true,
  selectable: false,
  addAttributes: () => ({
    ...tagAttributes('br'),
    /** Line break of a text without HTML. */
    newline: { default: '', rendered: false, parseHTML: () => '' },
  }),
  parseHTML: () => POINTS.map((tag) => ({ tag })),
  renderHTML: ({ node }) => shown(node),
});

/** All inline elements are one type: marks of one type stay in the order in which they are nested. */
const inline = Mark.create({
  name: 'inline',
  excludes: '',
  addAttributes: () => ({
    ...tagAttributes('strong'),
    instance: { default: 0, rendered: false, parseHTML: () => 0 },
  }),
  parseHTML: () => INLINE.map((tag) => ({ tag: tag === 'span' ? 'span[dir], span[lang]' : tag })),
  renderHTML: ({ mark }) => [...shown(mark), 0],
});

/** Everything that a description may contain. */
export const schema = Extension.create({
  name: 'descriptions',
  addExtensions: () => [
    doc,
    text,
    bare,
    block('paragraph', { tags: TEXT_BLOCKS, content: 'inline*', group: 'block' }),
    block('container', { tags: CONTAINERS, content: 'block+', group: 'block' }),
    block('list', { tags: LISTS, content: 'item*', group: 'block' }),
    block('item', { tags: ['li'], content: 'block+' }),
    block('rule', { tags: ['hr'], content: '', group: 'block' }),
    block('table', { tags: ['table'], content: '(caption | columns | column | section | row)*', group: 'block' }),
    block('caption', { tags: ['caption'], content: 'block+' }),
    block('columns', { tags: ['colgroup'], content: 'column*' }),
    block('column', { tags: ['col'], content: '' }),
    block('section', { tags: TABLE_SECTIONS, content: 'row*' }),
    block('row', { tags: ['tr'], content: 'cell*' }),
    block('cell', { tags: CELLS, content: 'block+' }),
    point,
    inline,
  ],
});
