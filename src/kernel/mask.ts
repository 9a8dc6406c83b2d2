import { parseJson, type Json, type JsonObject } from './json.ts';

/** Removes secrets from outside data before it is written. */
export interface Mask {
  /**
   * For text that people and agents read: every secret becomes `***`, a weak one only as a whole
   * word.
   */
  readonly text: (text: string) => string;
  /** For text that programs compare or parse, too (a path, a key, an id): weak secrets are kept. */
  readonly name: (text: string) => string;
}

const unchanged = (text: string): string => text;

/** The mask without secrets. */
export const unmasked: Mask = { text: unchanged, name: unchanged };

/** The mask that keeps weak secrets. */
export function strongMask({ name }: Mask): Mask {
  return { text: name, name };
}

/**
 * JSON from outside with its strings masked. Its shape stays: keys are masked as names, numbers are
 * unchanged.
 */
export function maskJson(value: Json, mask: Mask): Json {
  if (mask === unmasked) return value;
  if (typeof value === 'string') return mask.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskJson(item, mask));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [mask.name(key), maskJson(item, mask)]),
  );
}

/** Like `maskJson`, for properties whose names Mailroom defines. */
export function maskValues(values: JsonObject, mask: Mask): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, maskJson(value, mask)]));
}

/**
 * An agent's program's report, JSON or lines of it, masked before it is read, cut or split: removes
 * strong secrets from its strings and keeps its format. Weak ones could be words of the format;
 * mask them in the values read from it.
 */
export function maskReport(report: string, mask: Mask): string {
  if (mask.name(report) === report) return report;
  const strong = strongMask(mask);
  const whole = parseJson(report);
  if (whole !== undefined) return JSON.stringify(maskJson(whole, strong));
  const parts: string[] = [];
  let plain: string[] = [];
  const endPlain = () => {
    if (plain.length > 0) parts.push(mask.name(plain.join('\n')));
    plain = [];
  };
  for (const line of report.split('\n')) {
    const value = parseJson(line);
    if (value === undefined) plain.push(line);
    else {
      endPlain();
      parts.push(mask.name(line) === line ? line : JSON.stringify(maskJson(value, strong)));
    }
  }
  endPlain();
  return parts.join('\n');
}

/** Secrets with fewer characters are weak. */
const shortestStrong = 6;

/**
 * Longer words that programs, formats and Mailroom's documents consist of; shorter ones are weak
 * anyway.
 */
const commonWords = new Set(
  `abcdef account action actions active administrator agents answer array artifact artifacts assistant attempt
  attempts boolean branch bearer cancel cancelled changeme changed claude client closed command commands commit common
  complete completed completion config confirm content context create created credential credentials database debugging
  default delete deploy develop developer development disable disabled docker document duration enable enabled
  environment example exited failed failure feature finished folder format github gitlab google handoff health hidden
  inputs instructions integer internal invalid iteration iterations journal language letmein library linux limits
  localhost mailroom manager master memory message messages method missing module monitor network nothing notice
  number object openai opencode option options origin output outputs packages parameter parameters password password1
  password123 passphrase pending please position prefix private process production profile program project protocol
  provider public qwerty reason record release reject remote request required resource response result results resume
  retries return review revoked rolled running runtime sandbox sample schema script secret secrets server service session
  settings shared signal single skipped source staging standard started status stderr stdout stopped string subject
  success successful succeeded summary system target template testing thread timeout timestamp tokens trigger
  undefined unknown update upload usage username value values variable version volume waiting warning warnings
  webhook workflow workflows working workspace 123456 1234567 12345678 123456789 1234567890`.split(/\s+/),
);

/**
 * Why a secret cannot be masked everywhere, as the end of a sentence that begins with its name;
 * null: it can.
 */
export function weakness(secret: string): string | null {
  if (secret.length < shortestStrong) return `has fewer than ${String(shortestStrong)} characters`;
  return commonWords.has(secret.toLowerCase()) ? 'is a common word' : null;
}
