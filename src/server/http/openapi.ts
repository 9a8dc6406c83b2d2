import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { ownValue, setOwn } from '../../kernel/own.ts';
import { problemDocument, problemType } from './problem.ts';
import type { Route } from './route.ts';

type Document = { [key: string]: unknown };

/** The OpenAPI 3.1 description of the routes, from the schemas that they read and answer by. */
export function openApiDocument(routes: readonly Route[], version: string): Document {
  const schemas: Document = {};
  schemas['Problem'] = schemaOf(problemDocument, 'output', schemas);
  const paths = new Map<string, Document>();
  for (const each of routes) {
    const path = paths.get(each.path) ?? {};
    paths.set(each.path, { ...path, [each.method]: operation(each, schemas) });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mailroom',
      version,
      description:
        'What the commands read and write, for programs and pages of this machine. Keys are only added within v1.',
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: Object.fromEntries(paths),
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } }, schemas },
  };
}

function operation(route: Route, schemas: Document): Document {
  const { method, path, summary, tag, params, query, body, isPublic, isConditional } = route;
  const parameters = [
    ...parametersIn('path', params, schemas),
    ...parametersIn('query', query, schemas),
    ...(method === 'get' ? [] : [idempotencyKey]),
    ...(isConditional ? [ifMatch] : []),
  ];
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tag],
    ...(isPublic && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== null && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(body, 'input', schemas) } },
      },
    }),
    responses: {
      ...Object.fromEntries(route.statuses.map((status) => [String(status), success(route, schemas)])),
      default: {
        description: 'A failure',
        content: { [problemType]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request with the same key takes effect once',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: true,
  description: 'The `revision` that was read: 412 with the current text where it is another one now',
  schema: { type: 'string' },
};

function success(route: Route, schemas: Document): Document {
  const { document, media, data } = route;
  const ofMedia = data === null ? { type: 'string' } : named(route, data, schemas);
  const content = {
    ...(document !== null && { 'application/json': { schema: named(route, document, schemas) } }),
    ...(media !== null && { [media]: { schema: ofMedia } }),
  };
  return { description: 'Done', ...(Object.keys(content).length > 0 && { content }) };
}

/**
 * The same document has one schema, with the name of the first operation that answers with it: of
 * its path, and of its method too where two methods of a path answer with two documents.
 */
function named({ method, path }: Route, schema: z.ZodType, schemas: Document): Document {
  const json = schemaOf(schema, 'output', schemas);
  const known = Object.entries(schemas).find(([, other]) => isDeepStrictEqual(other, json))?.[0];
  const whole = operationId(method, path);
  const short = whole.replace(/^get|^post|^put/, '');
  const name = known ?? (ownValue(schemas, short) === undefined ? short : whole);
  setOwn(schemas, name, json);
  return { $ref: `#/components/schemas/${name}` };
}

/** `get /api/v1/threads/{id}` is `getThreadsId`, and `get /healthz` is `getRootHealthz`. */
function operationId(method: string, path: string): string {
  const words = path.replace(/^\/(?:api\/v1\/)?/, (start) => (start === '/' ? 'root/' : '')).split(/[^\w]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersIn(place: 'path' | 'query', schema: z.ZodType | null, schemas: Document): Document[] {
  if (schema === null) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input', schemas) as {
    properties?: Record<string, { description?: string }>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...of }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: of,
  }));
}

/**
 * Answers may have further keys in later versions, so a client must not refuse them. Schemas that
 * contain themselves move to `schemas`, by their ids.
 */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Document): Document {
  const converted = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _same, $defs = {}, ...json } = JSON.parse(text) as Document & { $defs?: Document };
  Object.assign(schemas, $defs);
  return json;
}
