// Cuts the part of GitHub's published description of its API that Mailroom uses into a fixture, as
// JSON Schema: the whole description has 13 MB, the package that publishes it 400 MB.
//
//   node scripts/github-api.mjs [folder of the unpacked package]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const version = '23.0.2';
const target = new URL('../test/fixtures/github-api.json', import.meta.url);

const used = {
  '/repos/{owner}/{repo}': ['get'],
  '/repos/{owner}/{repo}/issues': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments': ['get'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['patch'],
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/{issue_number}/events': ['get'],
  '/repos/{owner}/{repo}/pulls': ['get', 'post'],
  '/repos/{owner}/{repo}/pulls/{pull_number}/reviews': ['get'],
  '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments': ['get'],
};

const [given] = process.argv.slice(2);
const scratch = given === undefined ? mkdtempSync(join(tmpdir(), 'github-api-')) : null;
try {
  const description = JSON.parse(
    readFileSync(join(given ?? unpacked(scratch), 'generated/api.github.com.json'), 'utf8'),
  );
  writeFileSync(target, `${JSON.stringify(cut(description), null, 1)}\n`);
} finally {
  if (scratch !== null) rmSync(scratch, { recursive: true });
}

function unpacked(folder) {
  execFileSync('npm', ['pack', '--silent', `@octokit/openapi@${version}`], { cwd: folder });
  execFileSync('tar', ['-xzf', `octokit-openapi-${version}.tgz`], { cwd: folder });
  return join(folder, 'package');
}

function cut(description) {
  const definitions = {};
  const operations = [];
  const resolved = (node) =>
    node?.$ref === undefined
      ? node
      : node.$ref
          .split('/')
          .slice(1)
          .reduce((inner, key) => inner[key], description);
  const schemaOf = (content) => content?.['application/json']?.schema;
  for (const [path, methods] of Object.entries(used))
    for (const method of methods) {
      const { parameters = [], requestBody, responses } = description.paths[path][method];
      operations.push({
        method: method.toUpperCase(),
        path,
        query: Object.fromEntries(
          parameters
            .map(resolved)
            .filter((parameter) => parameter.in === 'query')
            .map((parameter) => [parameter.name, plain(parameter.schema, definitions, resolved)]),
        ),
        body: plain(schemaOf(resolved(requestBody)?.content) ?? null, definitions, resolved),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, response]) => [
            status,
            plain(schemaOf(resolved(response).content) ?? null, definitions, resolved),
          ]),
        ),
      });
    }
  return { package: `@octokit/openapi@${version}`, operations, $defs: definitions };
}

/** A schema of OpenAPI 3.0 as JSON Schema, without words and examples. */
function plain(schema, definitions, resolved) {
  if (Array.isArray(schema)) return schema.map((each) => plain(each, definitions, resolved));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    if (definitions[name] === undefined) {
      // Before its content, which may refer to it.
      definitions[name] = {};
      definitions[name] = plain(resolved(schema), definitions, resolved);
    }
    return { $ref: `#/$defs/${name}` };
  }
  const { description: _words, example: _one, examples: _all, title: _title, nullable, ...rest } = schema;
  const kept = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === 'properties'
        ? Object.fromEntries(
            Object.entries(value).map(([name, inner]) => [name, plain(inner, definitions, resolved)]),
          )
        : ['enum', 'default', 'required'].includes(key)
          ? value
          : plain(value, definitions, resolved),
    ]),
  );
  return nullable === true ? { anyOf: [kept, { type: 'null' }] } : kept;
}
