/** Number of the last seal of the company. */
export const lastSeal = (company: string) =>
  `coalesce((select s.seq from audit_seal s where s.company_id = ${company} order by s.seq desc limit 1), 0)`;

/** SQL of the id of the last event of a company; 0 if it has none. */
export const lastEvent = (company: string) =>
  `coalesce((select e.id from audit_event e where e.company_id = ${company} order by e.id desc limit 1), 0)`;

/**
 * SQL of the next seals above the position of each reader, with the columns of the reader. A reader locks the row with its position
 * (`for no key update skip locked`), and moves it in the statement that uses the seals. So no event is missed, and none used twice.
 * @param readers CTE with the column `position`
 * @param size maximum number of seals for each reader. The embedded database serves no other request meanwhile
 */
export const nextSeals = (
  readers: string,
  company: string,
  size: number,
) => `select r.*, s.company_id, s.seq, s.event_id from ${readers} r cross join lateral (
      select company_id, seq, event_id from audit_seal
      where company_id = ${company} and seq > r.position order by seq limit ${size}) s`;

/**
 * SQL of the event of a seal. PostgreSQL looks it up by its key, whatever it estimates, because the company is that of the seal: for
 * a parameter that its statistics do not know yet, it expects one row of the company, and reads all of them for each seal.
 */
export const sealedEvent = (seal: string) =>
  `(select * from audit_event where company_id = ${seal}.company_id and id = ${seal}.event_id limit 1)`;

/**
 * SQL of the seal of an event, looked up in the same way.
 * @param event alias of rows with `company_id`
 * @param eventId their column with the id of the event
 */
export const sealOf = (event: string, eventId = 'id') =>
  `(select * from audit_seal where company_id = ${event}.company_id and event_id = ${event}.${eventId} limit 1)`;
