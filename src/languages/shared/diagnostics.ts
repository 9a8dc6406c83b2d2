import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Language } from '../../expressions/language.ts';
import type { Problem as ExpressionProblem, Span } from '../../expressions/problem.ts';
import { parse } from '../../expressions/parse.ts';
import { opening, parseTemplate, readExpression, type Template } from '../../expressions/template.ts';
import type { Tree } from '../../expressions/tree.ts';
import { checkWorkflow, type CheckContext, type Problem } from '../../workflow/check/check.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { LanguageContext } from './context.ts';
import { readScript, type Script } from '../../expressions/script/script.ts';
import { pathText } from '../../yaml/repair.ts';
import type { Path, YamlDocument } from '../../yaml/yaml.ts';

/** Placeholder for an expression that could not be read. */
const nothing: Tree = { kind: 'literal', value: null, span: { start: 0, end: 0 } };

/** The parts of a language that the checks need. */
type CheckedParts = Pick<
  CheckContext,
  'broken' | 'isOrderUnknown' | 'brokenParameters' | 'language' | 'vocabulary'
>;

/**
 * Collects the problems of a file while it is lowered, and maps parts of the model to their places
 * in the file.
 */
export class Diagnostics {
  readonly problems: Diagnostic[] = [];
  /** Steps whose work could not be determined. */
  readonly unclear = new Set<string>();
  readonly #document: YamlDocument;
  readonly #origins = new Map<object, Path>();
  /** Where parts of the model come from that the file does not have itself. */
  readonly #sources = new Map<object, string>();
  readonly #written = new Map<Tree, Tree>();
  readonly #partial: ReadonlySet<string>;
  /** The texts whose expressions were read. */
  readonly #read = new Set<string>();

  /**
   * `partial`: mappings that lost a part. A missing entry of such a mapping may be the lost part,
   * so it is not reported.
   */
  constructor(document: YamlDocument, partial: ReadonlySet<string> = new Set()) {
    this.#document = document;
    this.#partial = partial;
  }

  /**
   * Records the place of a part of the model, and returns the part. `source`: where its value
   * comes from instead, for hints.
   */
  from<T extends object>(path: Path, part: T, source: string | null = null): T {
    this.#origins.set(part, path);
    if (source !== null) this.#sources.set(part, source);
    return part;
  }

  /**
   * Records what the author wrote, and where, for a translated expression; returns the translated
   * one.
   */
  writtenAs(path: Path, lowered: Tree, written: Tree): Tree {
    this.#written.set(lowered, this.from(path, written));
    return lowered;
  }

  /** An expression as the author wrote it; an untranslated one unchanged. */
  asWritten(lowered: Tree): Tree {
    return this.#written.get(lowered) ?? lowered;
  }

  /** Checks the workflow of the file and reports its problems. */
  check(workflow: Workflow, context: LanguageContext, parts: CheckedParts): void {
    const found = checkWorkflow(workflow, {
      ...context,
      ...parts,
      broken: new Set([...parts.broken, ...this.unclear]),
      hasErrors: this.problems.some(({ severity }) => severity === 'error'),
      written: parts.vocabulary.isTranslated ? this.#written : null,
    });
    for (const problem of found) this.#report(problem);
  }

  error(code: ErrorCode, path: Path, message: string, hint: string | null, part?: 'key' | 'value'): void {
    if (this.#isUnsure(code, path)) return;
    this.problems.push({ code, severity: 'error', message, place: this.#document.place(path, part), hint });
  }

  /** Reports an error in a part of a string. */
  errorAt(code: ErrorCode, path: Path, span: Span, message: string, hint: string | null): void {
    this.problems.push({ code, severity: 'error', message, place: this.#within(path, span), hint });
  }

  placeOf(path: Path): Diagnostic['place'] {
    return this.#document.place(path);
  }

  /** Reports a warning about a part of a string. */
  warnAt(path: Path, span: Span, message: string, hint: string | null = null): void {
    const place = this.#within(path, span);
    this.problems.push({ code: 'E_EXPRESSION', severity: 'warning', message, place, hint });
  }

  warn(path: Path, message: string, hint: string | null = null): void {
    if (this.#isUnsure('E_WORKFLOW', path)) return;
    const place = this.#document.place(path, 'key');
    this.problems.push({ code: 'E_WORKFLOW', severity: 'warning', message, place, hint });
  }

  /** Reports a problem of the checks at the place of its node. */
  #report({ code, severity, node, key, span, message, hint }: Problem): void {
    const part = key === null ? node : ownValue(node as Record<string | number, unknown>, key);
    const own = typeof part === 'object' && part !== null ? this.#origins.get(part) : undefined;
    const origin = this.#origins.get(node) ?? [];
    const path = own ?? (key === null ? origin : [...origin, key]);
    if (code === 'E_MISSING_KEY' && this.#isUnsure(code, path)) return;
    const place = span === null ? this.#document.place(path) : this.#within(path, span);
    const source = this.#sources.get(typeof part === 'object' && part !== null ? part : node);
    const hints = [hint, source].filter((each) => each != null);
    this.problems.push({
      code,
      severity,
      message,
      place,
      hint: hints.length === 0 ? null : hints.join('; '),
    });
  }

  /** Whether a mapping of the file lost a part that could not be read. */
  isPartial(path: Path): boolean {
    return this.#partial.has(pathText(path));
  }

  /** Whether a lost part may be the cause: missing keys, or keys that do not fit together. */
  #isUnsure(code: ErrorCode, path: Path): boolean {
    if (code !== 'E_MISSING_KEY' && code !== 'E_WORKFLOW') return false;
    if (this.#partial.size === 0) return false;
    return this.isPartial(path) || this.isPartial(path.slice(0, -1));
  }

  #within(path: Path, { start, end }: Span): Diagnostic['place'] {
    return this.#document.placeWithin(path, start, end);
  }

  /** Reads a string with expressions. */
  template(path: Path, text: string, language: Language): Template {
    if (!text.includes(opening)) return text === '' ? [] : [{ kind: 'text', text }];
    this.#read.add(pathText(path));
    const read = parseTemplate(text, language);
    if (read.ok) return this.from(path, read.value);
    this.#unreadable(path, text, read.problems);
    return this.from(path, readable(text, language));
  }

  /** Reads a string that is one expression, with or without `${{ }}`. */
  expression(path: Path, text: string, language: Language): Tree {
    if (!text.includes(opening)) {
      const read = parse(text, language);
      if (read.ok) return this.from(path, read.value);
      this.#unreadable(path, text, read.problems);
      return nothing;
    }
    this.#read.add(pathText(path));
    const read = parseTemplate(text.trimEnd(), language);
    if (!read.ok) {
      this.#unreadable(path, text, read.problems);
      return nothing;
    }
    const [only, other] = read.value.filter((part) => part.kind === 'expression' || part.text.trim() !== '');
    if (only?.kind === 'expression' && other === undefined) return this.from(path, only.tree);
    this.error(
      'E_EXPRESSION',
      path,
      'one expression is wanted here, and nothing beside it',
      'put all of it inside `${{ }}`',
    );
    return nothing;
  }

  /** Reads a shell script: it receives the values of its expressions as environment variables. */
  script(path: Path, text: string, language: Language): Script {
    if (!text.includes(opening)) return this.from(path, { text, variables: {} });
    this.#read.add(pathText(path));
    const read = readScript(text, language);
    if (read.ok) return this.from(path, read.value);
    this.#unreadable(path, text, read.problems);
    return { text, variables: {} };
  }

  /**
   * Reports expressions where none are evaluated: they would reach an agent or a person literally.
   */
  refuseUnread(value: unknown, path: Path = []): void {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        this.refuseUnread(inner, [...path, Array.isArray(value) ? Number(key) : key]);
      return;
    }
    if (typeof value !== 'string' || this.#read.has(pathText(path))) return;
    const start = value.indexOf(opening);
    if (start < 0) return;
    const end = value.indexOf('}}', start);
    const key = path.findLast((part) => typeof part === 'string') ?? '';
    const span = { start, end: end < 0 ? value.length : end + 2 };
    const hint = key === 'items' ? 'make the whole list one expression' : 'write the value itself';
    this.errorAt('E_EXPRESSION', path, span, `\`${key}\` must not contain an expression`, hint);
  }

  #unreadable(path: Path, text: string, problems: readonly ExpressionProblem[]): void {
    for (const { message, hint, span } of problems) {
      const place = this.#within(path, span);
      const isCut = message.includes('is not closed') && this.#document.isPlain(path);
      const cut = isCut && text.length > 0 ? 'quote the expression: "${{ … }}"' : null;
      this.problems.push({ code: 'E_EXPRESSION', severity: 'error', message, place, hint: cut ?? hint });
    }
  }
}

/** The valid expressions of a string, so that they are checked even if others are invalid. */
function readable(text: string, language: Language): Template {
  const parts: Template[number][] = [];
  let at = 0;
  for (let open = text.indexOf(opening); open !== -1; open = text.indexOf(opening, at)) {
    const read = readExpression(text, open, language);
    if (read.ok) parts.push({ kind: 'expression', tree: read.tree });
    at = read.end;
  }
  // A string beside them: a single expression would have a type.
  return [{ kind: 'text', text: ' ' }, ...parts];
}
