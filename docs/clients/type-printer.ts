import { z } from 'zod';

const TypeName = z.enum(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

/** The JSON Schema keywords that the schemas of the procedures use. */
const Schema = z.object({
  $ref: z.string().optional(),
  $defs: z.record(z.string(), z.unknown()).default({}),
  description: z.string().optional(),
  type: z
    .union([TypeName, z.array(TypeName)])
    .default([])
    .transform((types) => [types].flat()),
  enum: z.array(z.string()).optional(),
  /** Schema of one value of a text with values separated by commas. */
  listOf: z.object({ enum: z.array(z.string()).default([]) }).default({ enum: [] }),
  const: z.union([z.string(), z.boolean()]).optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
  additionalProperties: z.unknown().optional(),
});

type Direction = 'input' | 'output';

/** Prints Zod schemas as TypeScript types. Schemas with an id become named types. */
export class TypePrinter {
  readonly #named = new Map<string, string>();

  /** @throws Error for a schema that JSON Schema cannot represent */
  print(schema: z.ZodType, io: Direction): string {
    const type = this.#type(z.toJSONSchema(schema, { io, unrepresentable: 'throw' }), io);
    return io === 'input' && schema.safeParse(undefined).success ? `${type} | void` : type;
  }

  /** Declarations of all schemas with an id that were printed. */
  namedTypes(): string[] {
    return [...this.#named].map(([name, type]) => `export type ${name} = ${type};`);
  }

  #type(json: unknown, io: Direction): string {
    const schema = Schema.parse(json);
    for (const [name, definition] of Object.entries(schema.$defs)) this.#define(name, definition, io);
    if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.anyOf !== undefined)
      return [...new Set(schema.anyOf.map((option) => this.#type(option, io)))].join(' | ');
    const listed = schema.listOf.enum.map((value) => JSON.stringify(value)).join(' | ');
    if (listed !== '') return `${listed} | \`\${${listed}},\${string}\``;
    const types = schema.type.map((type) => {
      if (type === 'array') return `Array<${this.#type(schema.items, io)}>`;
      if (type === 'object') return this.#object(schema, io);
      return type === 'integer' ? 'number' : type;
    });
    return types.length === 0 ? 'unknown' : types.join(' | ');
  }

  #object({ properties, required, additionalProperties }: z.infer<typeof Schema>, io: Direction): string {
    const fields = Object.entries(properties);
    if (fields.length === 0) {
      return `Record<string, ${additionalProperties === false ? 'never' : this.#type(additionalProperties ?? {}, io)}>`;
    }
    return objectType(
      fields.map(([name, field]) => {
        const { description } = Schema.parse(field);
        const comment = description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`;
        const isRequired = required.includes(name);
        const absent = !isRequired && io === 'input' ? ' | undefined' : '';
        return `${comment}${name}${isRequired ? '' : '?'}: ${this.#type(field, io)}${absent};`;
      }),
    );
  }

  #define(name: string, definition: unknown, io: Direction): void {
    const type = this.#type(definition, io);
    if ((this.#named.get(name) ?? type) !== type) throw new Error(`${name}: the id of two different schemas`);
    this.#named.set(name, type);
  }
}

/** An object type with one indented member for each text. */
export const objectType = (members: readonly string[]): string =>
  `{\n${members.map((member) => member.replaceAll(/^/gm, '  ')).join('\n')}\n}`;
