import { useLayoutEffect, useRef } from 'preact/hooks';
import { actOf, isTurn } from '../acts.ts';
import { at } from '../api/client.ts';
import { useLive } from '../state/live.ts';
import { focusTitle } from '../state/focus.ts';
import { link } from '../state/route.ts';
import { reasonOf } from '../waiting.ts';
import { saved } from '../state/saved.ts';
import { ActButton, perform } from './form.tsx';
import { Ago, CommandLine, Line, Sentence, Until } from './text.tsx';
import type { Explained } from '../../documents/common.ts';
import type { InboxDocument } from '../../documents/inbox.ts';
import type { Overview } from '../../documents/status.ts';

/** Why something does not move: the reason, since when, until when, and what changes it. */
export function Why({ why, target }: { readonly why: Explained; readonly target?: string }) {
  const reason = useReason(why);
  return (
    <div class="why">
      <p>
        <Sentence value={/[.?!]$/.test(reason) ? reason : `${reason}.`} />
        {why.cause !== null && (
          <>
            {' '}
            Since <Ago at={why.cause.at} />.{' '}
            {isTurn(why.cause.record) && (
              <a href={link('turns', why.cause.record)}>{`Turn ${why.cause.record} and its output`}</a>
            )}
          </>
        )}
        {why.until !== null && (
          <>
            {' '}
            Until <Until at={why.until} />.
          </>
        )}
        {target !== undefined && saved === null && (
          <>
            {' '}
            <a href={link('why', target)}>Why?</a>
          </>
        )}
      </p>
      {why.command !== null && <Command value={why.command} />}
    </div>
  );
}

/** The reason in words that a person knows. */
export function useReason(why: Explained): string {
  return reasonOf(why, useLive<InboxDocument>('/inbox').value.value?.items ?? []);
}

/** A command: the button that does the same here, if there is one, and its words to copy. */
function Command({ value }: { readonly value: string }) {
  const status = useLive<Overview>('/status').value.value;
  const act = saved === null ? actOf(value, status?.runs.map(({ run }) => run) ?? []) : null;
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = place.current;
    // What it changed takes it away: the focus stays in its row, or with the title.
    return () => {
      if (own?.contains(document.activeElement) !== true) return;
      const row = own.closest('tr, li')?.querySelector<HTMLElement>('[data-row]');
      if (row) row.focus();
      else focusTitle();
    };
  }, []);
  return (
    <div class="act row" ref={place}>
      {act?.do === 'send' && (
        <ActButton kind="primary" act={() => perform(at(...act.path))}>
          <Line value={act.label} limit={60} />
        </ActButton>
      )}
      {act?.do === 'open' && (
        <a class="button primary" href={act.to}>
          {act.label}
        </a>
      )}
      <CommandLine value={value} />
    </div>
  );
}
