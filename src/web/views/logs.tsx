import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { at } from '../api/client.ts';
import { Empty, Trouble } from '../parts/panel.tsx';
import { Text } from '../parts/text.tsx';
import { useText } from '../state/followed-text.ts';

interface Props {
  readonly run: string;
  /** Null: every step. */
  readonly step: string | null;
  readonly isLive: boolean;
}

/** How near to its end a box is scrolled that follows, in pixels. */
const near = 24;

/**
 * What the agents and programs of a run have printed. It follows a run that is alive, until the
 * person scrolls back.
 */
export function Logs({ run, step, isLive }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isFollowing = useSignal(true);
  const path = `${at('workflow-runs', run)}/logs${step === null ? '' : `?stage=${encodeURIComponent(step)}`}`;
  const { text, problem } = useText(path, isLive);
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown !== null && isLive && isFollowing.value) shown.scrollTop = shown.scrollHeight;
  }, [text.value, isLive, isFollowing.value]);
  const scrolled = ({ currentTarget: shown }: { currentTarget: HTMLDivElement }) => {
    isFollowing.value = shown.scrollHeight - shown.scrollTop - shown.clientHeight < near;
  };
  if (problem.value !== null && text.value === null) return <Trouble problem={problem.value} />;
  if (text.value === null) return <p class="empty loading">Loading …</p>;
  if (text.value === '') return <Empty>Nothing was printed.</Empty>;
  return (
    <>
      {isLive && (
        <label class="follow">
          <input
            type="checkbox"
            checked={isFollowing.value}
            onChange={(event) => (isFollowing.value = event.currentTarget.checked)}
          />{' '}
          Follow
        </label>
      )}
      <div class="log" ref={box} onScroll={scrolled}>
        <Text value={text.value} kind="code" keeps={isLive ? 'end' : 'start'} />
      </div>
    </>
  );
}
