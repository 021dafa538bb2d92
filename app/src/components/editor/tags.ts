const words = (text: string) => text.split(/\s+/);

/** Tags of the API's descriptions by their place in a document. The test compares them with the sanitizer's allow-list. */
export const TEXT_BLOCKS = ['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre'];
export const CONTAINERS = words(
  'blockquote div section article aside header footer main nav hgroup address figure figcaption dl dt dd',
);
export const LISTS = ['ul', 'ol', 'menu'];
export const TABLE_SECTIONS = ['thead', 'tbody', 'tfoot'];
export const CELLS = ['td', 'th'];
export const INLINE = words(
  `b strong i em u ins s del code sub sup small mark a span abbr bdi bdo cite data dfn kbd q samp time var
   ruby rb rp rt rtc`,
);
/** Elements without content within a text. */
export const POINTS = ['br', 'wbr'];

/** Type of the node by tag. */
const NODE_TYPES = new Map<string, string>([
  ...TEXT_BLOCKS.map((tag) => [tag, 'paragraph'] as const),
  ...CONTAINERS.map((tag) => [tag, 'container'] as const),
  ...LISTS.map((tag) => [tag, 'list'] as const),
  ...TABLE_SECTIONS.map((tag) => [tag, 'section'] as const),
  ...CELLS.map((tag) => [tag, 'cell'] as const),
  ['li', 'item'],
  ['hr', 'rule'],
  ['table', 'table'],
  ['caption', 'caption'],
  ['colgroup', 'columns'],
  ['col', 'column'],
  ['tr', 'row'],
]);

/** Type of a block by its tag; undefined for tags inside a text. */
export const blockType = (tag: string): string | undefined => NODE_TYPES.get(tag);

/** Elements that the server writes without an end tag. */
export const isVoid = (tag: string): boolean => ['br', 'hr', 'col'].includes(tag);
export const isInline = (tag: string): boolean => INLINE.includes(tag) || POINTS.includes(tag);
/** Elements whose children are elements only, so that text between them is white space. */
export const hasOnlyElements = (tag: string): boolean =>
  [...LISTS, ...TABLE_SECTIONS, 'table', 'colgroup', 'tr'].includes(tag);

const ATTRIBUTES = new Set(
  words('href name target rel title colspan rowspan scope span start type reversed datetime dir lang'),
);
const SAFE_URL = /^(?:https?:|mailto:|tel:|[^:]*$|[/?#])/i;

/** True for an attribute that may be shown. The server removes others too. */
export const isShownAttribute = (name: string, value: string): boolean =>
  ATTRIBUTES.has(name) && (name !== 'href' || SAFE_URL.test(value));
