import { toChanges, isFieldChange } from '../../../../entities/audit/changes.ts';
import { isKnownEvent } from '../../../../entities/audit/fields.ts';
import type { ResourceEventRow } from '../../../../entities/proof/reading.ts';
import { toIso } from '../../../../entities/statements/change-metadata.ts';
import { htmlToText, oneLine } from '../../../core/html.ts';
import { ProofError } from '../events.ts';
import type { Names, People } from '../people.ts';
import { NOTHING, TABLE_END, markup, note, shortened, tableRow, tableStart } from './text/html.ts';
import type { Html } from './text/html.ts';
import type { Times } from './text/times.ts';
import { fieldText, isEmpty, numberText, personText } from './text/words.ts';
import type { Values } from './text/words.ts';

/** Characters of a comment or of the note of a review, and of a name in a sentence. */
const MAX_COMMENT_LENGTH = 160;
const MAX_NAME_LENGTH = 80;
/** Texts and lists whose change is named without them. */
const LONG_TEXTS = new Set(['description', 'note', 'text', 'contacts']);
const PAST: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  review: 'reviewed',
};

export interface TypedEvent extends ResourceEventRow {
  type: string;
}

/** One change, or the same one several times. */
interface Change {
  first: string;
  last: string;
  count: number;
  actor: string;
  sentence: string;
}

interface ChangeOptions {
  times: Times;
  values: Values;
  people: People;
  /** Changes that are listed. */
  limit: number;
}

/** The changes of a record and of what belongs to it, oldest first. The last ones are kept. */
export class Changes {
  readonly #options: ChangeOptions;
  readonly #kept: Change[] = [];
  /** Names of pieces of evidence by id. */
  readonly #names = new Map<string, string>();
  #dropped = 0;

  constructor(options: ChangeOptions) {
    this.#options = options;
  }

  /** @param isInPeriod false for an event before, which only gives names */
  add(event: TypedEvent, isInPeriod: boolean): void {
    const { people, limit } = this.#options;
    const names = people.at(event.sequence);
    const sentence = this.#sentence(event, names);
    if (!isInPeriod) return;
    const time = toIso(event.occurredAt);
    const actor = personText(names.get(event.user), names);
    const previous = this.#kept.at(-1);
    if (previous !== undefined && previous.actor === actor && previous.sentence === sentence) {
      previous.count += 1;
      previous.last = time;
      return;
    }
    this.#kept.push({ first: time, last: time, count: 1, actor, sentence });
    if (this.#kept.length > limit) this.#dropped += this.#kept.shift()?.count ?? 0;
  }

  /** The table; nothing without a change. */
  toHtml(): Html {
    const { times } = this.#options;
    if (this.#kept.length === 0) return note('No change in the period.');
    const earlier =
      this.#dropped === 0
        ? NOTHING
        : note(`${numberText(this.#dropped)} earlier changes of the period are in events.ndjson.`);
    const rows = this.#kept.map(({ first, last, count, actor, sentence }) => {
      const until = times.text(last);
      const repeated = count === 1 ? '' : ` (${numberText(count)} times, until ${until})`;
      return tableRow([times.text(first), actor, sentence + repeated]);
    });
    return markup`${earlier}${tableStart(['Time', 'Person', 'Change'], 'c')}${rows}${TABLE_END}`;
  }

  #sentence(event: TypedEvent, names: Names): string {
    const { type, action, changes: stored, sequence, resourceId } = event;
    const known = { resource_type: type, action, changes: stored };
    if (!isKnownEvent(known))
      throw new ProofError(`The event with the sequence ${sequence} is of a newer version of the service`);
    const changes = toChanges(known.resource_type, action, stored, names);
    const verb = PAST[action.slice(type.length + 1)] ?? action;
    if (type === 'comment') return commentSentence(verb, changes['text']);
    if (type === 'evidence') return this.#evidenceSentence(verb, resourceId, changes, names);
    if (verb === 'changed') return this.#fields(changes, names);
    return verb === 'reviewed' ? this.#reviewSentence(changes, names) : `${verb} the ${type}`;
  }

  #reviewSentence({ lastReview, ...others }: Readonly<Record<string, unknown>>, names: Names): string {
    const text: unknown = isFieldChange(lastReview) ? Reflect.get(Object(lastReview.to), 'note') : '';
    const said = typeof text === 'string' && text !== '' ? `: “${shortened(text, MAX_COMMENT_LENGTH)}”` : '';
    const fields = this.#fields(others, names);
    return `reviewed the vendor${said}${fields === '' ? '' : `; ${fields}`}`;
  }

  #evidenceSentence(verb: string, id: string, changes: Readonly<Record<string, unknown>>, names: Names): string {
    const known = this.#names.get(id) ?? 'evidence';
    const given = isFieldChange(changes['name']) ? changes['name'].to : changes['name'];
    const name = typeof given === 'string' ? `“${shortened(given, MAX_NAME_LENGTH)}”` : known;
    this.#names.set(id, name);
    if (verb === 'created') return `attached ${name}`;
    if (verb === 'deleted') return `removed ${name}`;
    return `${this.#fields(changes, names)}, of ${known}`;
  }

  #fields(changes: Readonly<Record<string, unknown>>, names: Names): string {
    return Object.entries(changes)
      .map(([field, change]) => this.#field(field, change, names))
      .join('; ');
  }

  #field(field: string, change: unknown, names: Names): string {
    const name = fieldText(field);
    if (LONG_TEXTS.has(field) || !isFieldChange(change)) return `changed the ${name}`;
    const [from, to] = [change.from, change.to].map((value) => this.#options.values.text(field, value, names));
    if (isEmpty(change.from)) return `set the ${name} to ${to}`;
    if (isEmpty(change.to)) return `removed the ${name} ${from}`;
    return `changed the ${name} from ${from} to ${to}`;
  }
}

function commentSentence(verb: string, change: unknown): string {
  const text = isFieldChange(change) ? change.to : change;
  const words = verb === 'created' ? 'wrote a comment' : `${verb} a comment`;
  return typeof text === 'string' ? `${words}: “${shortened(oneLine(htmlToText(text)), MAX_COMMENT_LENGTH)}”` : words;
}
