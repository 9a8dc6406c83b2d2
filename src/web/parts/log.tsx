import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { LogPlace } from '../api/logs.ts';
import { FollowedLog } from '../state/log-lines.ts';
import { query } from '../state/route.ts';
import { isWrapped, LogTools } from './log-tools.tsx';
import { LogWindow, type LogGoal } from './log-window.tsx';
import { Empty, Trouble } from './panel.tsx';

/** Milliseconds between two looks at a log that grows. */
const beat = 1_000;

export interface LogProps {
  /** Of the log in the API: `/turns/t1/1/0/stdout`. */
  readonly path: string;
  /** It may still grow: it opens at its end, and follows it. */
  readonly isLive: boolean;
  /** It opens where it says what went wrong. */
  readonly hasFailed: boolean;
  /** What the address of a line of it has besides the line: `log` is its name there. */
  readonly named?: Readonly<Record<string, string>>;
}

/** A log of any length. It opens at what matters, and says so; the rest is a scroll away. */
export function Log(props: LogProps) {
  return <OneLog key={props.path} {...props} />;
}

/** Reads what comes while a log may grow, and the rest when it ends. */
function useGrowth(log: FollowedLog, isLive: boolean): void {
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) void log.follow();
    }, beat);
    return () => {
      clearInterval(timer);
      void log.follow();
    };
  }, [log, isLive]);
}

function OneLog({ path, isLive, hasFailed, named = {} }: LogProps) {
  const log = useMemo(() => new FollowedLog(path), [path]);
  const inAddress = query.value.get('log') ?? ('step' in named ? named['log'] : null);
  const asked = inAddress === named['log'] ? Number(query.value.get('line')) || null : null;
  const goal = useSignal<LogGoal>({ line: 'end' });
  const marked = useSignal<number | null>(null);
  const isAtEnd = useSignal(true);
  useEffect(() => {
    const open = async () => {
      const place: LogPlace = hasFailed && !isLive ? 'failure' : (asked ?? 'end');
      await log.open(place);
      marked.value = asked;
      goal.value = { line: asked ?? log.failure?.line ?? 'end' };
    };
    void open();
  }, [log]);
  // A line may be chosen, or the address edited, while the log is shown.
  useEffect(() => {
    if (asked === null || asked === marked.peek() || log.total.peek() === null) return;
    const isInSight = document.querySelector(`.log-row[data-line="${String(asked)}"]`) !== null;
    marked.value = asked;
    if (!isInSight) goal.value = { line: asked };
  }, [asked]);
  useGrowth(log, isLive);
  const show = (line: LogGoal['line']) => {
    goal.value = { line };
    if (line !== 'end') marked.value = line;
  };
  const total = log.total.value;
  if (log.problem.value !== null && total === null) return <Trouble problem={log.problem.value} />;
  if (total === null) return <p class="empty loading">Loading …</p>;
  if (total === 0) return <Empty>{isLive ? 'Nothing was printed yet.' : 'Nothing was printed.'}</Empty>;
  return (
    <div class="log">
      <LogTools
        name={named['log'] ?? ''}
        log={log}
        total={total}
        show={show}
        isFollowing={isLive && isAtEnd.value}
      />
      <LogWindow
        log={log}
        isWrapped={isWrapped.value}
        marked={marked.value}
        goal={goal.value}
        isAtEnd={isAtEnd}
        named={named}
      />
    </div>
  );
}
