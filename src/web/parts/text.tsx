import { computed, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { money, type Cost } from '../../kernel/cost.ts';
import { shortId } from '../../kernel/ids.ts';
import { escapeOf, oneLine, replaceUnsafe } from '../../kernel/one-line.ts';
import { clock, moment, seconds } from '../../kernel/local-time.ts';
import { duration, span } from '../../kernel/times.ts';
import { agoOf } from '../times.ts';
import { now } from '../state/past.ts';
import { saved } from '../state/saved.ts';
import { notify } from '../state/toasts.ts';
import type { Standing } from '../../documents/standing.ts';

/** Text of others with its line breaks and tabs; control and direction characters are visible. */
export function visible(text: string): string {
  return replaceUnsafe(text, (character) => (/[\n\t]/.test(character) ? character : escapeOf(character)));
}

/** How much of what others wrote is shown at once, in characters. */
const step = 200_000;

interface TextProps {
  readonly value: string;
  readonly kind?: 'prose' | 'code';
}

/**
 * A text of several lines, as it was written; of a very long one its beginning, and more on demand.
 */
export function Text({ value, kind = 'prose' }: TextProps) {
  const most = useSignal(step);
  const rest = value.length - most.value;
  return (
    <>
      <pre class={`text ${kind}`} tabIndex={kind === 'code' ? 0 : undefined}>
        {visible(value.slice(0, most.value))}
      </pre>
      {rest > 0 && (
        <p>
          <button type="button" onClick={() => (most.value += step)}>
            Show more
          </button>{' '}
          <span class="dim">{`${rest.toLocaleString('en')} more characters`}</span>
        </p>
      )}
    </>
  );
}

/** A text on one line. */
export function Line({ value, limit = 240 }: { readonly value: string; readonly limit?: number }) {
  return <>{oneLine(value, limit)}</>;
}

/** A sentence on one line, in which commands stand between backticks. */
export function Sentence({ value, limit = 600 }: { readonly value: string; readonly limit?: number }) {
  const parts = oneLine(value, limit).split(/`([^`]+)`/);
  return <>{parts.map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>;
}

export function Id({ value }: { readonly value: string }) {
  return (
    <code class="id" title={oneLine(value)}>
      {oneLine(/^t\d+$/.test(value) ? value : shortId(value))}
    </code>
  );
}

/** A time with its date and time zone, such as `2026-11-21 20:45 GMT+1`. */
function zoned(at: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(new Date(at));
  return `${moment(at)} ${parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`;
}

/**
 * How long ago something was, then where the page shows the past; in a file, and of what came after
 * the shown past, when.
 */
export function Ago({ at, isShort = false }: { readonly at: string; readonly isShort?: boolean }) {
  const text = useMemo(() => computed(() => agoOf(at, now.value, isShort)), [at, isShort]);
  return (
    <time dateTime={at} title={zoned(at)}>
      {saved === null ? text.value : `${moment(at)}${seconds(Date.parse(at)).slice(5)}`}
    </time>
  );
}

/** How long something has lasted, or lasts still. */
export function Lasting({ from, to = null }: { readonly from: string; readonly to?: string | null }) {
  const start = Date.parse(from);
  const text = to === null ? span(now.value - start) : duration(Date.parse(to) - start);
  return <time title={`${moment(from)} – ${to === null ? 'now' : zoned(to)}`}>{text}</time>;
}

/** A time of the day that is still to come. */
export function Until({ at }: { readonly at: string }) {
  const left = useMemo(
    () =>
      computed(() => {
        const rest = Date.parse(at) - now.value;
        return rest > 0 ? `in ${span(rest)}` : `${span(-rest)} ago`;
      }),
    [at],
  );
  return (
    <time dateTime={at} title={zoned(at)}>
      {clock(at, now.peek())} ({left})
    </time>
  );
}

/** An amount in words, also where no launch has reported any; empty: nothing was spent. */
export function paid(cost: Cost): string {
  return money(cost) || (cost.unpriced > 0 ? 'not reported' : '');
}

interface PriceProps {
  readonly cost: Cost;
  /** Nothing beside it says that it is a cost: one that is not known is left out. */
  readonly isAlone?: boolean;
}

/** An amount; nothing where nothing was spent. */
export function Price({ cost, isAlone = false }: PriceProps) {
  const text = paid(cost);
  if (text === '') return null;
  return isAlone && text.startsWith('not') ? null : <span class="price">{text}</span>;
}

const tones: readonly (readonly [string, string])[] = [
  ['busy', 'running checking landing open ready runs'],
  ['good', 'succeeded active answered done ok reused landed packed'],
  [
    'wait',
    'waiting pending queued blocked parked paused draining stopped incomplete recorded approval request warning changed no_room',
  ],
  ['bad', 'failed refused timed_out deadlock error problem broken gone silent missing'],
];
const toneByState = new Map(
  tones.flatMap(([tone, states]) => states.split(' ').map((state) => [state, tone])),
);

/** The colour of a state; it is never the only sign of it. */
export function toneOf(state: string): string {
  return toneByState.get(state.toLowerCase()) ?? 'calm';
}

export function inLowerCase(state: string): string {
  return state.toLowerCase().replaceAll('_', ' ');
}

/** A state, as a word with its colour. */
export function State({ value }: { readonly value: string }) {
  return <span class={`state ${toneOf(value)}`}>{inLowerCase(value)}</span>;
}

/** The colour of how something stands. */
export const toneByStanding: Readonly<Record<Standing['is'], string>> = {
  'needs you': 'wait',
  working: 'busy',
  waiting: 'calm',
  failed: 'bad',
  done: 'good',
};

/** What a list calls those that stand so, in its order. */
export const groups: Readonly<Record<Standing['is'], string>> = {
  'needs you': 'Needs you',
  working: 'Working',
  waiting: 'Waits',
  failed: 'Failed',
  done: 'Done',
};

/** The colour of a standing: what was skipped or cancelled, or only rests, has not succeeded. */
export function toneOfStanding({ is, word }: Standing): string {
  return ['skipped', 'cancelled', 'no work left'].includes(word) ? 'calm' : toneByStanding[is];
}

/** How something stands, as its word with its colour. */
export function Stands({ standing }: { readonly standing: Standing }) {
  return <span class={`state ${toneOfStanding(standing)}`}>{oneLine(standing.word, 60)}</span>;
}

/** A command for the terminal, with a button that copies it. */
export function CommandLine({ value }: { readonly value: string }) {
  const copy = () => {
    navigator.clipboard.writeText(value).then(
      () => notify('Copied.'),
      () => notify('The browser does not allow copying here: select the command instead.'),
    );
  };
  return (
    <div class="command">
      <code>{visible(value)}</code>
      <button
        type="button"
        class="quiet"
        onClick={copy}
        aria-label={`Copy the command ${oneLine(value, 80)}`}
      >
        Copy
      </button>
    </div>
  );
}

/** Names and values beside each other; what is null is left out. */
export function Facts({
  of,
}: {
  readonly of: readonly (readonly [string, ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== null && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
