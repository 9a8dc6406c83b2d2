import type { Language } from '../language.ts';
import { expressionLimits } from '../limits.ts';
import type { Problem, Read, Span } from '../problem.ts';
import { readExpression } from '../template.ts';
import type { Tree } from '../tree.ts';
import { setOwn } from '../../kernel/own.ts';

/** A bash script without expressions. Plain data. */
export interface Script {
  readonly text: string;
  /** The script's environment: the expression of each variable, by its name. */
  readonly variables: Readonly<Record<string, Tree>>;
}

/** Where an expression may stand in a script: as a word or part of one, or inside double quotes. */
export type AllowedPlace = 'word' | 'quoted';

/** Where an expression must not stand. */
export type RefusedPlace =
  | 'single'
  | 'ansi'
  | 'document'
  | 'delimiter'
  | 'backquotes'
  | 'arithmetic'
  | 'subscript'
  | 'number'
  | 'parameter'
  | 'dollar';

const named = 'give the value a name under `env:`';

const refusals: Readonly<Record<RefusedPlace, readonly [where: string, hint: string]>> = {
  single: ['inside single quotes', `use double quotes, or ${named}`],
  ansi: ["inside $'…'", `use double quotes, or ${named}`],
  document: ['inside a quoted here-document', `do not quote the delimiter, or ${named} and print it`],
  delimiter: ['as the delimiter of a here-document', 'write the delimiter out'],
  backquotes: ['inside backquotes', 'write `$(…)` instead'],
  arithmetic: ['inside arithmetic, where bash executes the value', `${named}, and check that it is a number`],
  subscript: ['inside an index, where bash executes the value', `${named}, and check that it is a number`],
  number: ['beside a comparison of numbers in `[[ ]]`, where bash executes the value', 'use `[ … ]` instead'],
  parameter: ['inside `${…}`', `${named}, or assign it to a variable first`],
  dollar: ['directly behind a `$`', 'write `\\$` for a dollar sign'],
};

/** Collects the replacements of a script's expressions, in the order of the text. */
export class Replacements {
  readonly #text: string;
  readonly #language: Language;
  readonly #pieces: string[] = [];
  readonly #problems: Problem[] = [];
  readonly #names = new Map<string, string>();
  readonly #variables: Record<string, Tree> = {};
  #copied = 0;

  constructor(text: string, language: Language) {
    this.#text = text;
    this.#language = language;
  }

  /** Replaces the expression whose `${{` is at an offset; returns where the text continues. */
  replace(open: number, place: AllowedPlace): number {
    const read = readExpression(this.#text, open, this.#language);
    if (!read.ok) {
      this.#problems.push(...read.problems);
      return read.end;
    }
    const name = this.#nameOf(this.#text.slice(open, read.end), read.tree);
    this.#pieces.push(
      this.#text.slice(this.#copied, open),
      place === 'word' ? `"\${${name}}"` : `\${${name}}`,
    );
    this.#copied = read.end;
    return read.end;
  }

  /** Reports an expression in a place where it is not allowed; returns where the text continues. */
  refuse(open: number, place: RefusedPlace): number {
    const read = readExpression(this.#text, open, this.#language);
    const [where, hint] = refusals[place];
    this.report(`an expression cannot stand ${where}`, hint, { start: open, end: read.end });
    return read.end;
  }

  report(message: string, hint: string | null, span: Span): void {
    this.#problems.push({ message, hint, span });
  }

  /** True once the maximum number of problems is reached. */
  get isEnough(): boolean {
    return this.#problems.length >= expressionLimits.problems;
  }

  result(): Read<Script> {
    if (this.#problems.length > 0)
      return { ok: false, problems: this.#problems.slice(0, expressionLimits.problems) };
    const text = [...this.#pieces, this.#text.slice(this.#copied)].join('');
    return { ok: true, value: { text, variables: this.#variables } };
  }

  /** Equal expressions share a variable. */
  #nameOf(source: string, tree: Tree): string {
    const known = this.#names.get(source);
    if (known !== undefined) return known;
    const name = `MAILROOM_EXPRESSION_${this.#names.size + 1}`;
    this.#names.set(source, name);
    setOwn(this.#variables, name, tree);
    return name;
  }
}
