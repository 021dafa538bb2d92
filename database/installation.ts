import { onceSuccessful } from './retry.ts';

/** The database of an installation. */
interface Queryable {
  query<Row>(name: string, text: string, values: unknown[]): Promise<Row[]>;
}

/** Settings that all processes on the database have in common. */
export interface InstallationSettings {
  /** Smallest id of a company that is created here. */
  companyIdStart: number;
  /** Secret that signs cursors; undefined means the one in the database. */
  cursorSecret?: Buffer | undefined;
}

/** Secrets and settings that all processes on one database share. Each process reads a secret once. */
export class Installation {
  #settings: InstallationSettings = { companyIdStart: 1 };
  /** Secret that signs cursors. */
  readonly cursorSecret: () => Promise<Buffer>;
  /** Secret that signs links that turn mails off. */
  readonly unsubscribeSecret: () => Promise<Buffer>;

  constructor(database: Queryable) {
    this.cursorSecret = onceSuccessful(
      async () => this.#settings.cursorSecret ?? (await readSecret(database, 'cursor')),
    );
    this.unsubscribeSecret = onceSuccessful(() => readSecret(database, 'unsubscribe'));
  }

  /** Applies the settings of this process. Call it before the first request. */
  configure(settings: InstallationSettings): void {
    this.#settings = settings;
  }

  get companyIdStart(): number {
    return this.#settings.companyIdStart;
  }
}

/** Reads a secret that a migration has made. @throws Error if the database has no such secret */
export async function readSecret(database: Queryable, name: string): Promise<Buffer> {
  const text = 'select value from secret where name = $1';
  const [row] = await database.query<{ value: Uint8Array }>(`secret.${name}`, text, [name]);
  if (row === undefined) throw new Error(`secret: the database has no row named ${name}`);
  return Buffer.from(row.value);
}
