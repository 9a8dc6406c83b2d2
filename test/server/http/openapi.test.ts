import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/kernel/json.ts';
import { ApiFixture } from './api-fixture.ts';

describe('the OpenAPI description', () => {
  it('has every route, each with its parameters and its success', async () => {
    const api = new ApiFixture();
    const { document } = await api.get('/api/v1/openapi.json');
    const paths = isJsonObject(document) ? (document['paths'] as Record<string, JsonObject>) : {};
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect(described.toSorted()).toEqual(
      api.routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    for (const { method, path, statuses } of api.routes) {
      const operation = paths[path]?.[method] as JsonObject;
      const names = ((operation['parameters'] ?? []) as JsonObject[])
        .filter((each) => each['in'] === 'path')
        .map((each) => each['name']);
      expect(names).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(Object.keys(operation['responses'] as JsonObject)).toEqual([...statuses.map(String), 'default']);
    }
  });

  it('calls every operation by a name of its own', async () => {
    const { document } = await new ApiFixture().get('/api/v1/openapi.json');
    const names = [...JSON.stringify(document).matchAll(/"operationId":"(\w+)"/g)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBe(new ApiFixture().routes.length);
  });

  it('describes each answer by its own schema, also where two methods of a path answer differently', async () => {
    const { document } = await new ApiFixture().get('/api/v1/openapi.json');
    type Content = Record<string, { schema: { $ref: string } }>;
    const { paths, components } = document as never as {
      paths: Record<string, Record<string, { responses: Record<string, { content: Content }> }>>;
      components: { schemas: Record<string, { type: string }> };
    };
    const kind = (method: string, status: number) => {
      const { content } = paths['/api/v1/workflows']![method]!.responses[status]!;
      return components.schemas[content['application/json']!.schema.$ref.split('/').at(-1)!]!.type;
    };
    expect([kind('get', 200), kind('post', 201)]).toEqual(['array', 'object']);
  });
});
