// A catalog of OSCAL (https://pages.nist.gov/OSCAL/) as rows of requirements. Contract, section 27.
// A worker runs this file, so it imports nothing of the service.

/** A row that an import of requirements reads. */
export interface CatalogRow {
  ref: string;
  title: string;
  description: string;
  parentRef: string | null;
  position: number;
  assessable: boolean;
}

/** Reason for which a document cannot be imported as a catalog. The message begins with the place in it. */
export class CatalogError extends Error {}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (object: Json, name: string): string | undefined => {
  const value = object[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

/** The objects in a list of an object, with the place of each. */
function listOf(object: Json, name: string, place: string): (readonly [item: Json, place: string])[] {
  const list = object[name] ?? [];
  if (!Array.isArray(list)) throw new CatalogError(`${place}.${name}: expected an array`);
  return list.map((item: unknown, index) => {
    const at = `${place}.${name}[${index}]`;
    if (!isObject(item)) throw new CatalogError(`${at}: expected an object`);
    return [item, at];
  });
}

/** Values of the properties with a name; those without a class are first. */
function propertiesOf(object: Json, name: string, place: string): string[] {
  const named = listOf(object, 'props', place).filter(([property]) => property['name'] === name);
  const isPlain = ([property]: (typeof named)[number]) => property['class'] === undefined;
  return [...named.filter(isPlain), ...named.filter((property) => !isPlain(property))].flatMap(
    ([property]) => textOf(property, 'value') ?? [],
  );
}

const isWithdrawn = (control: Json, place: string) =>
  propertiesOf(control, 'status', place).some((status) => status.toLowerCase() === 'withdrawn');

const textsIn = (list: unknown): string[] => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);

/** Text that replaces a parameter, which may name other parameters. */
function parameterText(parameter: Json): string | undefined {
  const { values, select } = parameter;
  const given = textsIn(values).join(', ');
  if (given.trim() !== '') return given;
  const choices = textsIn(isObject(select) ? select['choice'] : undefined).join('; ');
  return textOf(parameter, 'label') ?? (choices.trim() === '' ? undefined : choices);
}

/** A parameter in prose, as OSCAL 1 and the drafts before it write it. */
const INSERTION = /\{\{\s*(?:insert:\s*param\s*,\s*|param:\s*)?([^\s{}]+)\s*\}\}/g;
const LINK = /\[([^[\]]{0,500})\]\([^()\s]{0,2000}\)/g;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeHtml = (text: string) => text.replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? character);

/** Characters that parameters may add to the texts of a document, so that those that name each other cannot make it grow without end. */
const MAX_INSERTED_LENGTH = 16 * 1024 * 1024;
/** Longer texts are errors of their rows. */
const MAX_TEXT_LENGTH = 25_000;

/** Reads catalogs. Parameters of the whole document are known before any prose is read. */
class Catalog {
  readonly #parameters = new Map<string, string | undefined>();
  readonly #refs = new Map<string, string>();
  readonly #rows: CatalogRow[] = [];
  #insertedLength = 0;

  read(catalog: Json): CatalogRow[] {
    this.#collectParameters(catalog, 'catalog');
    this.#addChildren(catalog, 'catalog', null);
    return this.#rows;
  }

  #collectParameters(object: Json, place: string): void {
    for (const [parameter] of listOf(object, 'params', place)) {
      const id = textOf(parameter, 'id');
      if (id !== undefined) this.#parameters.set(id, parameterText(parameter));
    }
    for (const [child, at] of [...listOf(object, 'groups', place), ...listOf(object, 'controls', place)])
      this.#collectParameters(child, at);
  }

  #addChildren(object: Json, place: string, parentRef: string | null): void {
    for (const [group, at] of listOf(object, 'groups', place)) this.#add(group, at, parentRef, false);
    for (const [control, at] of listOf(object, 'controls', place))
      if (!isWithdrawn(control, at)) this.#add(control, at, parentRef, true);
  }

  #add(object: Json, place: string, parentRef: string | null, isControl: boolean): void {
    const id = textOf(object, 'id');
    if (isControl && id === undefined) throw new CatalogError(`${place}: expected an id`);
    const title = textOf(object, 'title');
    if (title === undefined) throw new CatalogError(`${place}: expected a title`);
    const ref = propertiesOf(object, 'label', place)[0] ?? id?.toUpperCase();
    if (ref === undefined) throw new CatalogError(`${place}: expected an id or a label`);
    const other = this.#refs.get(ref.toLowerCase());
    if (other !== undefined) throw new CatalogError(`${place}: has the ref ${ref} of ${other}`);
    this.#refs.set(ref.toLowerCase(), place);
    this.#rows.push({
      ref,
      title: this.#insert(title),
      description: this.#describe(object, place),
      parentRef,
      position: this.#rows.length + 1,
      assessable: isControl,
    });
    this.#addChildren(object, place, ref);
  }

  /** The prose of the parts with the requirement itself. */
  #describe(object: Json, place: string): string {
    const paragraphs = (part: Json) => this.#prose(part).map((text) => `<p>${text}</p>`);
    return this.#partsOf(object, place)
      .map(([part, at]) => paragraphs(part).join('') + this.#items(part, at))
      .join('')
      .slice(0, MAX_TEXT_LENGTH);
  }

  #partsOf(object: Json, place: string) {
    return listOf(object, 'parts', place).filter(([{ name }]) => {
      const text = typeof name === 'string' ? name : '';
      return text !== 'objective' && !text.startsWith('assessment');
    });
  }

  /** The parts of a part as a list. */
  #items(part: Json, place: string): string {
    const items = this.#partsOf(part, place).map(([item, at]) => {
      const [label] = propertiesOf(item, 'label', at);
      const text = this.#prose(item).join('<br>');
      return `<li>${[label === undefined ? '' : escapeHtml(label), text].filter((one) => one !== '').join(' ')}${this.#items(item, at)}</li>`;
    });
    return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
  }

  /** The paragraphs of a part, as HTML. */
  #prose(part: Json): string[] {
    return (textOf(part, 'prose') ?? '')
      .split(/\n\s*\n/)
      .map((paragraph) => escapeHtml(this.#insert(paragraph.replaceAll(LINK, '$1')).trim()))
      .filter((paragraph) => paragraph !== '');
  }

  /** Text with parameters in brackets. @param within parameters that the text belongs to */
  #insert(text: string, within: readonly string[] = []): string {
    return text.replaceAll(INSERTION, (_, id: string) => {
      const isBounded = !within.includes(id) && this.#insertedLength <= MAX_INSERTED_LENGTH;
      const value = (isBounded && this.#parameters.get(id)) || '…';
      this.#insertedLength += value.length;
      return `[${this.#insert(value, [...within, id])}]`;
    });
  }
}

/** The rows of a catalog, each with the row above it in the outline before it. @throws CatalogError */
export function readCatalog(text: string): CatalogRow[] {
  let document: unknown;
  try {
    // Some editors begin a file with a byte order mark, which JSON does not have.
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CatalogError(`expected an OSCAL catalog as JSON: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  const catalog = isObject(document) ? document['catalog'] : undefined;
  if (!isObject(catalog)) throw new CatalogError('catalog: expected an OSCAL catalog, {"catalog": {…}}');
  return new Catalog().read(catalog);
}
