import type { WhyDocument } from '../../operations/why/why.ts';
import { at } from '../api/client.ts';
import { Loaded, View } from '../parts/panel.tsx';
import { Line, State, Why } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';

/** Why one thing moves, waits or has ended. */
export function WhyView({ target }: { readonly target: string }) {
  const live = useLive<WhyDocument>(at('why', target));
  return (
    <View title={<Line value={`Why: ${target}`} limit={80} />}>
      <Loaded live={live}>
        {(why) => (
          <div class="panel">
            <p>
              <State value={why.state} /> <code>{why.code}</code>
            </p>
            <Why why={why} />
          </div>
        )}
      </Loaded>
    </View>
  );
}
