import { isTurn } from '../acts.ts';
import { at } from '../api/client.ts';
import { Loaded, View } from '../parts/panel.tsx';
import { Line, Stands, State } from '../parts/text.tsx';
import { Why } from '../parts/why.tsx';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import { stepLink } from './timeline.tsx';
import type { WhyDocument } from '../../documents/mail.ts';
import type { Overview } from '../../documents/status.ts';

/** Why one thing moves, waits or has ended. */
export function WhyView({ target }: { readonly target: string }) {
  const live = useLive<WhyDocument>(at('why', target));
  const roles = useLive<Overview>('/status').value.value?.roles;
  const role = roles?.find(({ name }) => name === target);
  return (
    <View title={<Line value={`Why: ${target}`} limit={80} />}>
      <Loaded live={live}>
        {(why) => (
          <div class="panel">
            <Why why={why} />
            {why.cause?.record !== why.target && <Subject target={why.target} />}
            <p class="also">
              {role === undefined ? <State value={why.state} /> : <Stands standing={role.standing} />}{' '}
              {why.code !== (role?.standing.word ?? why.state) && <code>{why.code}</code>}
            </p>
          </div>
        )}
      </Loaded>
    </View>
  );
}

/** A link to the explained turn or step; nothing for other targets. */
function Subject({ target }: { readonly target: string }) {
  const [run = '', ...step] = target.split('/');
  if (!isTurn(target) && step.length === 0) return null;
  return (
    <p>
      {isTurn(target) ? (
        <a href={link('turns', target)}>The turn</a>
      ) : (
        <a href={stepLink(run, step.join('/'))}>The step</a>
      )}
    </p>
  );
}
