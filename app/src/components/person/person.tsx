import './person.css';

/** First letters of the first and the last word of a name: "AL" for "Ann von Lee". */
function initialsOf(name: string): string {
  const letters = name.match(/(?<!\S)\S/gu) ?? [];
  return `${letters.at(0) ?? ''}${letters.slice(1).at(-1) ?? ''}`.toUpperCase();
}

/** The initials of a person in a circle, for a place that has the name. */
export const Initials = ({ name }: { name: string }) => (
  <span className="initials" aria-hidden>
    {initialsOf(name)}
  </span>
);

/** A person: initials and name. @param label shown in place of the name */
export const Person = ({ name, label = name }: { name: string; label?: string }) => (
  <span className="person">
    <Initials name={name} />{' '}
    <span className="name" dir="auto" title={label}>
      {label}
    </span>
  </span>
);
