import { isJsonObject, type Json } from '../../kernel/json.ts';
import {
  artifactKinds,
  missingArtifact,
  serverCalled,
  type Artifact,
  type ArtifactKind,
} from '../../languages/shared/artifacts.ts';
import { readDocument } from '../../languages/shared/document.ts';
import type { Project } from '../../project/project.ts';
import { missingReferences, stubsFor } from '../../workflow/runs/stubs.ts';
import { problemsOf } from '../../project/definition/validate.ts';
import { locateWorkflow } from '../../workflow/questions/workflow-files.ts';
import type { WrittenStubs } from './documents.ts';

export type { Artifact };

/**
 * What stages of the project can name, with what its workflows name and the project does not have,
 * by kind and then by name. An MCP server is in the settings of a person: of these only names are
 * known.
 */
export async function readArtifacts({ workflows, root }: Project): Promise<Artifact[]> {
  const [own, read] = await Promise.all([
    workflows.artifacts(),
    Promise.all(workflows.list().map((file) => workflows.read(file, root))),
  ]);
  const missing = missingReferences(read.flatMap(({ checked }) => problemsOf(checked)));
  const servers = read.flatMap(({ text, path }) => {
    const document = readDocument(text, path);
    return document.ok ? serversIn(document.value.value) : [];
  });
  const all = [
    ...own,
    ...[...new Set(servers)].map(serverCalled),
    ...missing.flatMap(({ kind, name, problem }) =>
      isKind(kind) ? [missingArtifact(kind, name, problem)] : [],
    ),
  ];
  return all.toSorted(
    (a, b) => artifactKinds.indexOf(a.kind) - artifactKinds.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
  );
}

/**
 * Writes a stub of each agent, skill and module that a workflow refers to and that does not exist.
 * `text`: unsaved, in the place of the stored one. `reference`: only this one. Null: not given.
 */
export async function writeStubs(
  { workflows, root }: Project,
  word: string,
  { text, reference }: { readonly text: string | null; readonly reference: string | null },
): Promise<WrittenStubs> {
  const { file } = await locateWorkflow(workflows, root, word);
  const { checked } = await (text === null ? workflows.read(file, root) : workflows.check(text, file));
  const stubs = stubsFor(problemsOf(checked));
  const wanted = stubs.filter((stub) => reference === null || stub.reference === reference);
  return { schema: 1, written: workflows.writeMissing(wanted) };
}

function isKind(word: string): word is ArtifactKind {
  return artifactKinds.some((kind) => kind === word);
}

/** The names of the MCP servers that a definition asks for: `mcp:search`. */
function serversIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(serversIn);
  if (isJsonObject(value)) return Object.values(value).flatMap(serversIn);
  const [, name] = typeof value === 'string' ? (/^mcp:([A-Za-z0-9_][\w.-]*)$/.exec(value) ?? []) : [];
  return name === undefined ? [] : [name];
}
