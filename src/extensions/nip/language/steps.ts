import { didYouMean } from '../../../kernel/nearest.ts';
import type { Path } from '../../../yaml/yaml.ts';
import type { Diagnostics } from '../../../languages/shared/diagnostics.ts';
import { expectLength, wordAt, type Tag } from './tags.ts';

const policies = ['retry', 'skip', 'abort'] as const;

/** A step as its tag defines it. */
export interface StepTag {
  readonly id: string;
  /** The kind of the task; null: invalid, and reported. */
  readonly kind: number | null;
  readonly inputs: readonly InputPart[];
  /** The name of its output. */
  readonly output: string;
  /** Milliseconds. */
  readonly timeout: number | null;
  readonly policy: (typeof policies)[number];
  readonly retries: number;
  /** Its maximum cost in thousandths of a satoshi. */
  readonly budget: number | null;
  readonly path: Path;
}

/** `input:<source>` or `input:<name>=<source>`. */
export interface InputPart {
  readonly name: string | null;
  readonly source: string;
  /** The word that contains it, and where the source begins in the word. */
  readonly path: Path;
  readonly start: number;
}

const stepId = /^[A-Za-z0-9_][\w.-]*$/;
/** The output names that a path of a condition can use: `$translated`. */
const outputName = /^[A-Za-z_][\w-]*$/;
const named = /^([A-Za-z_][\w-]*)=/;
const wholeNumber = /^(?:0|[1-9]\d*)$/;

const defaultRetries = 3;
/** Higher numbers of attempts, seconds or kinds are an error. */
const mostRetries = 1_000;
const mostSeconds = 31_536_000;
const mostKind = 65_535;

/** The prefixes of the words after the kind. */
const prefixes = ['input', 'output', 'timeout', 'policy', 'retries', 'budget'] as const;
type Prefix = (typeof prefixes)[number];

interface Part {
  readonly prefix: Prefix;
  readonly text: string;
  readonly path: Path;
  readonly start: number;
}

/** A step of a definition; null if not even its id is valid. */
export function readStep(tag: Tag, diagnostics: Diagnostics): StepTag | null {
  if (!expectLength(tag, 2, Infinity, diagnostics)) return null;
  const [id = '', kind = ''] = tag.words;
  if (!stepId.test(id)) {
    const hint = 'letters, digits, `_`, `-` and `.`, a letter, a digit or `_` first';
    diagnostics.error('E_VALUE', wordAt(tag, 0), `\`${id}\` cannot be the id of a step`, hint);
    return null;
  }
  const parts = tag.words
    .slice(2)
    .flatMap((word, index) => readPart(word, wordAt(tag, index + 2), diagnostics) ?? []);
  const one = (prefix: Exclude<Prefix, 'input'>): Part | null => onlyPart(parts, prefix, diagnostics);
  const policy = policyOf(one('policy'), diagnostics);
  const retries = amount(one('retries'), mostRetries, 'number of retries', diagnostics);
  if (retries !== null && policy !== 'retry') warnUseless(parts, policy, diagnostics);
  const timeout = amount(one('timeout'), mostSeconds, 'number of seconds', diagnostics);
  return {
    id,
    kind: kindOf(kind, wordAt(tag, 1), diagnostics),
    inputs: parts.flatMap((part) => (part.prefix === 'input' ? inputOf(part) : [])),
    output: outputOf(one('output'), tag, diagnostics),
    timeout: timeout === null ? null : timeout * 1_000,
    policy,
    retries: retries ?? defaultRetries,
    budget: amount(one('budget'), Number.MAX_SAFE_INTEGER, 'number of msats', diagnostics),
    path: tag.path,
  };
}

function readPart(word: string, path: Path, diagnostics: Diagnostics): Part | null {
  const colon = word.indexOf(':');
  const prefix = prefixes.find((each) => each === word.slice(0, Math.max(0, colon)));
  if (prefix !== undefined) return { prefix, text: word.slice(colon + 1), path, start: colon + 1 };
  const begun = colon === -1 ? word : word.slice(0, colon);
  const all = prefixes.map((each) => `\`${each}:\``).join(', ');
  const hint = didYouMean(begun, prefixes) ?? `the parts of a step are ${all}`;
  diagnostics.error('E_UNKNOWN_KEY', path, `\`${word}\` is not a part of a step`, hint);
  return null;
}

function onlyPart(parts: readonly Part[], prefix: Prefix, diagnostics: Diagnostics): Part | null {
  const [first, ...more] = parts.filter((part) => part.prefix === prefix);
  for (const { path } of more)
    diagnostics.error('E_DUPLICATE', path, `the step has two parts \`${prefix}:\``, 'keep one');
  return first ?? null;
}

function kindOf(word: string, path: Path, diagnostics: Diagnostics): number | null {
  if (wholeNumber.test(word) && Number(word) <= mostKind) return Number(word);
  diagnostics.error(
    'E_VALUE',
    path,
    `\`${word}\` is not a kind of event`,
    'a whole number, at most 65535: 5100',
  );
  return null;
}

function outputOf(part: Part | null, tag: Tag, diagnostics: Diagnostics): string {
  if (part === null) {
    diagnostics.error(
      'E_MISSING_KEY',
      tag.path,
      'nothing says what the result of the step is called',
      'add "output:<name>"',
    );
    return '';
  }
  if (outputName.test(part.text) && part.text !== 'input') return part.text;
  const hint =
    part.text === 'input'
      ? '`$input` is what the workflow is given'
      : 'a letter or `_`, then letters, digits, `_` and `-`';
  diagnostics.error('E_VALUE', part.path, `\`${part.text}\` cannot be the name of an output`, hint);
  return '';
}

function policyOf(part: Part | null, diagnostics: Diagnostics): StepTag['policy'] {
  if (part === null) return 'abort';
  const found = policies.find((each) => each === part.text);
  if (found !== undefined) return found;
  const hint = didYouMean(part.text, policies) ?? `there is ${policies.join(', ')}`;
  diagnostics.error('E_VALUE', part.path, `\`${part.text}\` is not a policy`, hint);
  return 'abort';
}

function warnUseless(parts: readonly Part[], policy: string, diagnostics: Diagnostics): void {
  const part = parts.find(({ prefix }) => prefix === 'retries');
  if (part)
    diagnostics.warn(
      part.path,
      `retries have no effect with the policy \`${policy}\``,
      'use the policy `retry`, or no retries',
    );
}

/** A whole number up to a limit; null, and reported, if it is invalid. */
function amount(part: Part | null, most: number, what: string, diagnostics: Diagnostics): number | null {
  if (part === null) return null;
  const value = Number(part.text);
  const least = part.prefix === 'retries' ? 0 : 1;
  if (wholeNumber.test(part.text) && value >= least && value <= most) return value;
  const hint = `a whole number from ${String(least)} to ${String(most)}`;
  diagnostics.error('E_VALUE', part.path, `\`${part.text}\` is not a ${what}`, hint);
  return null;
}

function inputOf({ text, path, start }: Part): InputPart {
  const name = named.exec(text)?.[1] ?? null;
  const skip = name === null ? 0 : name.length + 1;
  return { name, source: text.slice(skip), path, start: start + skip };
}
