import { duration, timeIn } from './resets.ts';

/** No known limit lasts longer, so a later end is ignored. */
const longestMs = 32 * 86_400_000;

/** Messages that mean "the usage limit is reached", as the CLIs printed them in 2025 and 2026. */
const sentences: readonly RegExp[] = [
  // claude: "Claude AI usage limit reached|1760000000", "5-hour limit reached ∙ resets 3pm",
  // "You've hit your session limit"
  /\b(usage|session|weekly|daily|hourly|monthly|5-hour|opus|sonnet|fable|haiku)[ _]limit/i,
  /\b(hit|reached) (your|the) (\S+ ){0,3}limit\b/i,
  /\blimit reached\b/i,
  // codex and the OpenAI API: "You've hit your usage limit.", "Rate limit reached for gpt-5 in
  // organization …"
  /\brate[ _-]?limit/i,
  /\btoo many requests\b/i,
  // gemini: "You exceeded your current quota", "Quota exceeded for quota metric …", "You have
  // exhausted your capacity on this model"
  /\bquota\b/i,
  /RESOURCE_EXHAUSTED/,
  /\bresource has been exhausted\b/i,
  /\bexhausted your (daily |current )?(capacity|quota)/i,
];

/** The HTTP header, in any quoting: its value is a number of seconds or a time. */
const retryAfter = /\bretry[-_ ]?after(?:[-_ ]seconds)?\\*"?[:=\s]\s*\\*"?/i;

/** Wordings of the end of a limit: the text after the match is a duration. */
const durations: readonly RegExp[] = [
  /\b(?:try again|retry|available again|resets?|reset) (?:in|after) (?:about |~)?/i,
  retryAfter,
  /\bretryDelay\\*"?\s*:\s*\\*"/,
  /\bresets_in_seconds\\*"?\s*:\s*/,
  /\bwait (?:for )?/i,
];

/** Wordings of the end of a limit: the text after the match is a time. */
const times: readonly RegExp[] = [
  /\blimit reached\s*\|/i,
  /\bresets?_at\\*"?\s*:\s*\\*"?/i,
  retryAfter,
  /\b(?:try again|retry|available again|resets?|reset) (?:at |on |after )?/i,
];

/**
 * Whether a string reports a reached usage limit, and until when (milliseconds since 1970, never
 * before `now`; null: unknown). Times without a zone are in `home`, default the machine's zone.
 */
export function limitIn(text: string, now: number, home?: string): { readonly until: number | null } | null {
  const words = text.slice(0, 8192);
  return sentences.some((sentence) => sentence.test(words)) ? { until: endOf(words, now, home) } : null;
}

/** The end of a usage limit according to a string, whether or not its wording is a known one. */
export function endOf(text: string, now: number, home?: string): number | null {
  const words = text.slice(0, 8192);
  for (const [patterns, read] of [
    [durations, (rest: string) => latest(now, duration(rest))],
    [times, (rest: string) => within(now, timeIn(rest, now, home))],
  ] as const) {
    for (const pattern of patterns) {
      const match = pattern.exec(words);
      const until =
        match === null ? null : read(words.slice(match.index + match[0].length, match.index + 200));
      if (until !== null) return until;
    }
  }
  return null;
}

/** The time that long after `now`; at most 32 days ahead. */
export function latest(now: number, milliseconds: number | null): number | null {
  return milliseconds === null ? null : within(now, now + milliseconds);
}

/** A time in the past is ignored: the program repeats an old message. */
function within(now: number, at: number | null): number | null {
  if (at === null || at < now) return null;
  return Math.min(Math.ceil(at), now + longestMs);
}
