import { opening } from '../template.ts';
import type { AllowedPlace, RefusedPlace, Replacements } from './script-replacements.ts';

/** Maximum nesting of quotes, substitutions and parentheses. */
const mostDepth = 100;

/** Words after which a command begins. */
const openers = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', 'time', '!', '{', '}']);

/**
 * An element of an array, or an operand of a numeric comparison in `[[ ]]`: bash evaluates these as
 * arithmetic.
 */
const assignedElement = /^\$\{\{.*?\}\}"?\]\+?=/;
const comparedBefore = /[ \t]-(?:eq|ne|lt|le|gt|ge)[ \t]+"?$/;
const comparedAfter = /^\$\{\{.*?\}\}"?[ \t]+-(?:eq|ne|lt|le|gt|ge)[ \t]/;
/** How many characters around an expression these patterns see. */
const nearby = 500;

/** The state of a scan of commands. */
interface Frame {
  /** True where a `#` would begin a comment. */
  wordStart: boolean;
  /** True where a word could be `case` or `esac`. */
  commandStart: boolean;
  /** How many `case` are open: their patterns end with an unpaired `)`. */
  cases: number;
  /** Announced here-documents whose text has not begun. */
  documents: HereDocument[];
}

/**
 * Walks through a script as bash reads it: quotes, comments, substitutions and here-documents. It
 * checks only where each expression stands; other errors are left to bash.
 */
export class BashScanner {
  readonly #text: string;
  readonly #replacements: Replacements;
  #at = 0;
  /** The end of the scanned range: the script's, or that of a here-document. */
  #end: number;
  #depth = 0;
  /** Inside `[[ … ]]`. */
  #isTest = false;

  constructor(text: string, replacements: Replacements) {
    this.#text = text;
    this.#replacements = replacements;
    this.#end = text.length;
  }

  scan(): void {
    while (this.#at < this.#end) this.#commands();
  }

  get #isOver(): boolean {
    return this.#at >= this.#end || this.#replacements.isEnough;
  }

  /** Commands up to the `)` that closes them, or to the end. */
  #commands(): void {
    const frame: Frame = { wordStart: true, commandStart: true, cases: 0, documents: [] };
    this.#nested(() => {
      while (!this.#isOver) {
        if (this.#takes(')')) {
          if (frame.cases === 0) return;
          frame.commandStart = frame.wordStart = true;
        } else if (!this.#separator(frame) && !this.#comment(frame)) {
          this.#wordPart(frame);
        }
      }
    });
  }

  /** The text between words: blanks, ends of lines, operators, parentheses. */
  #separator(frame: Frame): boolean {
    if (this.#skip(/[ \t]+|\\\n/y)) {
      frame.wordStart ||= this.#text[this.#at - 1] !== '\n';
    } else if (this.#takes('\n')) {
      this.#hereDocuments(frame);
      frame.commandStart = frame.wordStart = true;
    } else if (this.#skip(/[;&|]/y)) {
      frame.commandStart = frame.wordStart = true;
    } else if (this.#takes('<<<') || this.#skip(/<(?!<)|>/y)) {
      frame.wordStart = true;
    } else if (this.#takes('<<')) {
      this.#announcement(frame);
    } else if (this.#sees('(')) {
      if (!this.#arithmetic('((')) {
        this.#at += 1;
        this.#commands();
      }
      frame.commandStart = frame.wordStart = true;
    } else {
      return false;
    }
    return true;
  }

  #comment(frame: Frame): boolean {
    return frame.wordStart && this.#sees('#') && this.#skip(/[^\n]*/y);
  }

  /** One part of a word: quoted, substituted or plain. */
  #wordPart(frame: Frame): void {
    const isFirst = frame.wordStart;
    const wasCommandStart = frame.commandStart;
    frame.wordStart = frame.commandStart = false;
    if (this.#sees(opening)) this.#expression('word');
    else if (this.#takes("$'")) this.#ansiQuoted();
    else if (this.#takes("'")) this.#until("'", 'single');
    else if (this.#takes('$"') || this.#takes('"')) this.#expanding('"');
    else if (!this.#substitution(false) && !this.#skip(/\\[^]?/y)) {
      const start = this.#at;
      this.#skip(/[^\s;&|()<>'"`$\\]+|[^]/y);
      const word = this.#text.slice(start, this.#at);
      if (word === ']]' && isFirst) this.#isTest = false;
      if (isFirst && wasCommandStart && /^[\s;&|()<>]?$/.test(this.#text[this.#at] ?? ''))
        this.#keyword(word, frame);
      else if (word === 'in' && isFirst) frame.commandStart = frame.cases > 0;
    }
  }

  #keyword(word: string, frame: Frame): void {
    if (word === 'case') frame.cases += 1;
    if (word === '[[') this.#isTest = true;
    if (word === 'esac') frame.cases = Math.max(0, frame.cases - 1);
    frame.commandStart = openers.has(word);
  }

  #expression(place: AllowedPlace): void {
    const refused = this.#calculated();
    if (refused === null) this.#at = this.#replacements.replace(this.#at, place);
    else this.#at = this.#replacements.refuse(this.#at, refused);
  }

  /**
   * The arithmetic context of an expression at this position, if any: bash runs `$(…)` in a string
   * that it evaluates as a number.
   */
  #calculated(): RefusedPlace | null {
    const after = this.#text.slice(this.#at, this.#at + nearby);
    if (assignedElement.test(after)) return 'subscript';
    const before = this.#text.slice(Math.max(0, this.#at - nearby), this.#at);
    const isCompared = comparedBefore.test(before) || comparedAfter.test(after);
    return this.#isTest && isCompared ? 'number' : null;
  }

  /**
   * `$(…)`, `$((…))`, `$[…]`, `${…}`, `$name` and backquotes, which mean the same in double quotes.
   */
  #substitution(isQuoted: boolean): boolean {
    if (this.#sees(`$${opening}`)) {
      this.#at = this.#replacements.refuse(this.#at + 1, 'dollar');
      return true;
    }
    if (this.#arithmetic('$((')) return true;
    if (this.#takes('$(')) this.#commands();
    else if (this.#takes('$[')) this.#until(']', 'arithmetic');
    else if (this.#takes('${')) this.#parameter(isQuoted);
    else if (this.#takes('`')) this.#backquoted();
    else return this.#skip(/\$[#$]?/y);
    return true;
  }

  /** Text in which bash expands `$`: up to a double quote, or to the end of a here-document. */
  #expanding(close: '"' | null): void {
    this.#nested(() => {
      while (!this.#isOver) {
        if (close !== null && this.#takes(close)) return;
        if (!this.#sees(opening)) {
          if (!this.#substitution(true)) this.#skip(/\\[^]?|[^"\\$`]+|[^]/y);
        } else if (close === null) this.#at = this.#replacements.replace(this.#at, 'quoted');
        else this.#expression('quoted');
      }
    });
  }

  /** The rest of `${…}`. Bash pairs single quotes in it even inside double quotes. */
  #parameter(isQuoted: boolean): void {
    this.#nested(() => {
      while (!this.#isOver) {
        if (this.#takes('}')) return;
        if (this.#sees(opening)) this.#at = this.#replacements.refuse(this.#at, 'parameter');
        else if (!isQuoted && this.#takes("$'")) this.#ansiQuoted();
        else if (this.#takes("'")) this.#until("'", 'single');
        else if (this.#takes('"')) this.#expanding('"');
        else if (!this.#substitution(isQuoted)) this.#skip(/\\[^]?|[^]/y);
      }
    });
  }

  /** Consumes `((…))` if it is arithmetic: two parentheses may also be two subshells. */
  #arithmetic(start: '((' | '$(('): boolean {
    if (!this.#sees(start)) return false;
    const end = this.#arithmeticEnd(this.#at + start.length);
    if (end === null) return false;
    this.#refuseUpTo(end, 'arithmetic');
    this.#at = Math.max(this.#at, end);
    return true;
  }

  #arithmeticEnd(start: number): number | null {
    const parts = /\\[^]|'[^']*'|"[^"]*"|[()]/g;
    parts.lastIndex = start;
    let open = 2;
    for (
      let part = parts.exec(this.#text);
      part !== null && part.index < this.#end;
      part = parts.exec(this.#text)
    ) {
      if (part[0] === '(') open += 1;
      if (part[0] === ')') open -= 1;
      if (open === 1) return this.#text[part.index + 1] === ')' ? part.index + 2 : null;
    }
    return null;
  }

  #ansiQuoted(): void {
    while (!this.#isOver && !this.#takes("'")) {
      if (this.#sees(opening)) this.#at = this.#replacements.refuse(this.#at, 'ansi');
      else this.#skip(/\\[^]?|[^]/y);
    }
  }

  #backquoted(): void {
    while (!this.#isOver && !this.#takes('`')) {
      if (this.#sees(opening)) this.#at = this.#replacements.refuse(this.#at, 'backquotes');
      else this.#skip(/\\[^]?|[^]/y);
    }
  }

  /** Skips to after the next closing character; bash gives nothing before it a meaning. */
  #until(close: string, place: RefusedPlace): void {
    while (!this.#isOver && !this.#takes(close)) {
      if (this.#sees(opening)) this.#at = this.#replacements.refuse(this.#at, place);
      else this.#at += 1;
    }
  }

  #refuseUpTo(end: number, place: RefusedPlace): void {
    for (;;) {
      const open = this.#text.indexOf(opening, this.#at);
      if (open === -1 || open >= end || this.#replacements.isEnough) return;
      this.#at = this.#replacements.refuse(open, place);
    }
  }

  #announcement(frame: Frame): void {
    const { document, end } = readAnnouncement(this.#text, this.#at);
    this.#refuseUpTo(end, 'delimiter');
    this.#at = Math.max(this.#at, end);
    frame.documents.push(document);
    frame.wordStart = frame.commandStart = false;
  }

  /** The texts of the here-documents that were announced on the line before. */
  #hereDocuments(frame: Frame): void {
    for (const document of frame.documents.splice(0)) {
      const body = bodyOf(document, this.#text, this.#at, this.#end);
      if (document.isQuoted) {
        this.#refuseUpTo(body.end, 'document');
      } else {
        const end = this.#end;
        this.#end = body.end;
        this.#expanding(null);
        this.#end = end;
      }
      this.#at = Math.max(this.#at, body.next);
    }
  }

  #nested(scan: () => void): void {
    this.#depth += 1;
    if (this.#depth > mostDepth) {
      const span = { start: this.#at, end: this.#at + 1 };
      this.#replacements.report(`the script is nested deeper than ${mostDepth} levels`, null, span);
      this.#at = this.#text.length;
    }
    scan();
    this.#depth -= 1;
  }

  #sees(text: string): boolean {
    return this.#at + text.length <= this.#end && this.#text.startsWith(text, this.#at);
  }

  #takes(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Skips the match of a sticky pattern; false when it matches nothing. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    // A match must not reach past the end of a here-document.
    const length = Math.min(pattern.exec(this.#text)?.[0].length ?? 0, this.#end - this.#at);
    this.#at += length;
    return length > 0;
  }
}

/** A here-document that was announced by `<<` and begins on the next line. */
interface HereDocument {
  readonly delimiter: string;
  /** True: bash replaces nothing in it. */
  readonly isQuoted: boolean;
  /** `<<-`: tabs before the delimiter do not count. */
  readonly isIndented: boolean;
}

/** What follows `<<`: `-`, blanks, and the delimiter's quoted and plain parts. */
const announcement = /(-?)[ \t]*((?:\\[^]|'[^']*'|\$?"[^"]*"|\$'[^']*'|[^\s;&|()<>'"\\])*)/y;

/** The announcement after a `<<`, and where it ends. */
function readAnnouncement(text: string, at: number): { document: HereDocument; end: number } {
  announcement.lastIndex = at;
  const [whole, dash, word] = announcement.exec(text)!;
  const delimiter = word!.replaceAll(/\\([^])|\$?'([^']*)'|\$?"([^"]*)"/g, '$1$2$3');
  const document = { delimiter, isQuoted: /['"\\]/.test(word!), isIndented: dash === '-' };
  return { document, end: at + whole.length };
}

/** Where a document's text ends, and where the script continues after the delimiter's line. */
function bodyOf(
  document: HereDocument,
  text: string,
  start: number,
  end: number,
): { readonly end: number; readonly next: number } {
  let isContinued = false;
  for (let at = start; at < end;) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 || newline >= end ? end : newline + 1;
    const line = text.slice(at, newline === -1 || newline >= end ? end : newline);
    const word = document.isIndented ? line.replace(/^\t+/, '') : line;
    if (word === document.delimiter && !isContinued) return { end: at, next };
    // In an unquoted document, a backslash at the end of a line joins it with the next one.
    isContinued = !document.isQuoted && (/\\+$/.exec(line)?.[0].length ?? 0) % 2 === 1;
    at = next;
  }
  return { end, next: end };
}
