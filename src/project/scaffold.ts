import type { Disk } from '../disk/disk.ts';
import { defaultConfig } from '../config/config.ts';
import { parseConfig } from '../config/read.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import { parseProtocol } from '../mail/protocol/read.ts';
import { isProtocolFile } from '../disk/find-project.ts';
import { appendMissingLines } from './definition/project-files.ts';
import { boxes, writeTemplate, type LeftOut, type Template } from './template.ts';
import { ownValue } from '../kernel/own.ts';

export interface ScaffoldResult {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  /** What a template has and a project must not get from it, with the reason. */
  readonly left_out: readonly { readonly path: string; readonly why: string }[];
  /** The provider of the roles; null: as the template, which is not ours, has it. */
  readonly provider: string | null;
}

/** The line of a template's mailroom.yaml with the provider of the roles. */
const providerLine = /^( *provider: )rehearsal$/m;

/** The templates that come with the program. */
export const ownTemplates: Readonly<
  Record<string, { readonly about: string; readonly on?: readonly string[] }>
> = {
  'feature-team': { about: 'architect, engineer and reviewer, for a project of your own' },
  solo: { about: 'a reviewer beside a person who works alone' },
  'tdd-pair': { about: 'one writes a failing test, the other makes it pass' },
  'bug-triage': { about: 'reports are reproduced, rated, fixed and checked' },
  'docs-team': { about: 'a writer, an editor, and one who checks every command' },
  'parallel-team': { about: 'two engineers build at the same time, and one reviews the merge' },
  'fan-out-team': { about: 'an architect hands out parts, and gets them back merged' },
  'research-vote': { about: 'three look into a question independently and vote' },
  calculator: {
    about: 'a small program with a failing test, as in the tutorial',
    on: ['feature-team'],
  },
};

/** The folders that make a template, a later one over earlier ones. */
export function layersOf(template: string): string[] {
  return ['base', ...(ownValue(ownTemplates, template)?.on ?? []), template];
}

/** What git leaves alone in every project; a template may add to it in a file `gitignore`. */
const ignored = ['/.mailroom/', ...boxes.map((box) => `agents/*/${box}/`)];

/**
 * Copies a template into a project, keeping existing files and adding no second protocol.
 * `gitignore` has lines for `.gitignore`, which npm would not publish under its own name.
 * `provider` replaces the rehearsal agents; null: nothing.
 */
export function copyTemplate(
  { files, leftOut }: Template,
  project: Disk,
  provider: string | null,
): { written: string[]; kept: string[]; left_out: LeftOut[] } {
  const copied = files
    .filter(({ path }) => path !== 'gitignore')
    .map(({ path, text }) => ({
      path,
      text:
        path === 'mailroom.yaml' && provider !== null ? text.replace(providerLine, `$1${provider}`) : text,
    }));
  // Nothing is written through a link, which may lead out of the project.
  const isFolder = project.look('protocols')?.kind === 'folder';
  const own = isFolder ? (project.list('protocols') ?? []).filter(isProtocolFile) : [];
  const isSecond = (path: string) =>
    own.length > 0 && path.startsWith('protocols/') && project.look(path) === null;
  const second = copied.flatMap(({ path }) =>
    isSecond(path) ? [{ path, why: 'the project has a protocol' }] : [],
  );
  const {
    written,
    kept,
    leftOut: refused,
  } = writeTemplate(project, {
    files: copied.filter(({ path }) => !isSecond(path)),
    leftOut: [...leftOut, ...second],
  });
  const lines = files.find(({ path }) => path === 'gitignore')?.text.split('\n') ?? ignored;
  const added = appendMissingLines(
    project,
    '.gitignore',
    lines.filter((line) => line.trim() !== ''),
  );
  if (added.length > 0 && !written.includes('.gitignore')) written.push('.gitignore');
  return { written, kept: kept.filter((path) => !written.includes(path)), left_out: refused };
}

/** Templates as one; a later one replaces files of earlier ones. */
export function layered(templates: readonly Template[]): Template {
  const files = new Map(templates.flatMap((one) => one.files).map((file) => [file.path, file]));
  return { files: [...files.values()], leftOut: templates.flatMap(({ leftOut }) => leftOut) };
}

/** The protocol of a template, with its settings; null: it has errors. */
export function protocolOf({ files }: Template): Protocol | null {
  const settings = files.find(({ path }) => path === 'mailroom.yaml');
  const config = parseConfig(settings?.text ?? '', 'mailroom.yaml');
  const parts = files.filter(({ path }) => path.startsWith('protocols/'));
  const checked = parseProtocol(
    parts.map(({ path, text }) => ({ file: path, text })),
    config.ok ? config.value : defaultConfig,
  );
  return checked.ok ? checked.value : null;
}

/** Adds the lines for `.gitignore` that the project lacks; returns the changed file. */
export function addIgnored(project: Disk): string[] {
  return appendMissingLines(project, '.gitignore', ignored).length > 0 ? ['.gitignore'] : [];
}
