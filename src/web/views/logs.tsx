import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
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

/** What the agents and programs of a run have printed; it follows a run that is alive. */
export function Logs({ run, step, isLive }: Props) {
  const end = useRef<HTMLDivElement>(null);
  const isFollowing = useSignal(true);
  const path = `${at('workflow-runs', run)}/logs${step === null ? '' : `?stage=${encodeURIComponent(step)}`}`;
  const { text, problem } = useText(path, isLive);
  useEffect(() => {
    const box = end.current;
    if (box !== null && isLive && isFollowing.value) box.scrollTop = box.scrollHeight;
  });
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
      <div class="log" ref={end}>
        <Text value={text.value} kind="code" />
      </div>
    </>
  );
}
