import * as z from 'zod';
import { definitionOf } from '../../yaml/shape.ts';
import { stageSchema, swdlFile } from './schema.ts';

/* The shape of an override file: parts of any workflows, by their ids. */

const schemaKey = z.string().optional().describe('For editors.');

/** The checks of the file itself; its parts are checked as the workflows that they become. */
export const overridesShape = z
  .strictObject(
    {
      $schema: schemaKey,
      overrides: z
        .record(
          z.string(),
          z.record(z.string(), z.json(), { error: 'a mapping of changes to the workflow' }),
          {
            error: 'a mapping of workflows by id',
          },
        )
        .describe('What changes, by the id of the workflow.'),
    },
    { error: 'a mapping with `overrides`' },
  )
  .meta({ title: 'overrides file' });

/** The same for editors: everything that can be changed. */
export function overridesFile(): z.ZodType {
  const { stages: _list, workflow, ...rest } = swdlFile.omit({ $schema: true }).shape;
  const change = z
    .strictObject({
      workflow: optional(workflow, workflow.omit({ id: true, version: true })),
      ...Object.fromEntries(Object.entries(rest).map(([key, schema]) => [key, optional(schema)])),
      stages: z
        .record(z.string(), partial(stageSchema.omit({ id: true })))
        .optional()
        .describe('What changes in stages, by their id.'),
    })
    .meta({ title: 'override' });
  return z
    .strictObject({
      $schema: schemaKey,
      overrides: z.record(z.string(), change).describe('What changes, by the id of the workflow.'),
    })
    .meta({ title: 'overrides file' });
}

/** An optional part, whose own parts are optional too. Keeps its description. */
function optional(schema: z.ZodType, inner: z.ZodType = schema): z.ZodType {
  const { description } = schema;
  const made = partial(inner).optional();
  return description === undefined ? made : made.describe(description);
}

/** A mapping with only optional keys, at all levels. A list is replaced as a whole. */
function partial(schema: z.ZodType): z.ZodType {
  const def = definitionOf(schema);
  switch (def.type) {
    case 'optional':
      return partial(def.innerType as z.ZodType);
    case 'record':
      return z.record(z.string(), partial(def.valueType as z.ZodType));
    case 'object': {
      const fields = Object.entries(def.shape as Record<string, z.ZodType>);
      return z.strictObject(Object.fromEntries(fields.map(([key, inner]) => [key, optional(inner)])));
    }
    default:
      return schema;
  }
}
