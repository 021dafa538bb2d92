import { z } from 'zod';
import { redactSecrets } from '../../entities/api-key/raw-key.ts';
import { fieldName } from '../../procedures/core/errors.ts';

/** Arguments of a call as the procedure takes them. */
interface ToolArguments {
  input: Record<string, unknown>;
  /** Names of the arguments that the tool does not have. */
  ignored: string[];
}

/**
 * Compiles a reader of the arguments of a tool. Models and the clients around them send arguments that a tool does not have, and null for
 * those that they leave out. Each would cost a call that fails, and often the task. So the top level is lenient, for MCP alone; objects
 * inside of it are as strict as everywhere.
 * @throws Error unless the input is an object
 */
export function compileArguments(input: z.ZodType): (sent: object) => ToolArguments {
  const schema = input instanceof z.ZodOptional ? input.unwrap() : input;
  if (!(schema instanceof z.ZodObject)) throw new Error('expected an object as input');
  const fields = Object.entries<z.core.$ZodType>(schema.shape);
  const known = new Set(fields.map(([name]) => name));
  const omittedIfNull = new Set(
    fields
      .filter(([, field]) => field._zod.optin !== undefined && !z.safeParse(field, null).success)
      .map(([name]) => name),
  );
  return (sent) => {
    const entries = Object.entries(sent);
    return {
      input: Object.fromEntries(
        entries.filter(([name, value]) => known.has(name) && !(value === null && omittedIfNull.has(name))),
      ),
      ignored: entries.flatMap(([name]) => (known.has(name) ? [] : [redactSecrets(fieldName(name))])),
    };
  };
}
