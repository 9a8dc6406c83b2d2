import { describe, expect, it } from 'vitest';
import { wrap } from '../../../src/process/sandbox/containment.ts';
import { ownProgram } from '../../../src/process/sandbox/own-programs.ts';

const [sh, setpriv, unshare, bwrap] = ['sh', 'setpriv', 'unshare', 'bwrap'].map(ownProgram);

const GATE = 'echo r >&4; read -r x <&3 || exit 125; exec 3<&- 4>&-; ';

describe('wrap', () => {
  it('leaves a group without a gate as it is', () => {
    expect(wrap({ kind: 'group' }, ['git', 'log'], false, '/w')).toEqual(['git', 'log']);
  });

  it('puts the gate innermost', () => {
    expect(wrap({ kind: 'group' }, ['a', 'b c'], true, '/w')).toEqual([
      sh,
      '-c',
      `${GATE}exec "$@"`,
      'sh',
      'a',
      'b c',
    ]);
  });

  it('gives a namespace a first process of ours, which is the gate as well', () => {
    const bounds =
      '-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setfcap,+net_bind_service';
    const outer =
      `${setpriv} --pdeathsig KILL ${unshare} --pid --fork --kill-child --mount-proc -- ${setpriv} --inh-caps=-all --bounding-set=${bounds}`.split(
        ' ',
      );
    const stay = '(exec "$@"); exit $?';
    expect(wrap({ kind: 'namespace', user: false, network: true }, ['a'], false, '/w')).toEqual([
      ...outer,
      sh,
      '-c',
      stay,
      'sh',
      'a',
    ]);
    expect(wrap({ kind: 'namespace', user: false, network: true }, ['a'], true, '/w')).toEqual([
      ...outer,
      sh,
      '-c',
      GATE + stay,
      'sh',
      'a',
    ]);
    const asUser = wrap({ kind: 'namespace', user: true, network: true }, ['a'], false, '/w');
    expect(asUser).toContain('--map-current-user');
    expect(asUser.join(' ')).not.toContain('--bounding-set');
  });

  it('binds only what is given into a sandbox, deeper paths last', () => {
    const sandbox = {
      kind: 'bubblewrap',
      writable: ['/w/agents/qa/outbox', '/t'],
      readable: ['/w'],
      network: false,
      nests: false,
    } as const;
    const argv = wrap(sandbox, ['a'], true, '/w').join(' ');
    expect(argv).toContain(
      ' --ro-bind-try /w /w --bind-try /t /t --bind-try /w/agents/qa/outbox /w/agents/qa/outbox ',
    );
    expect(argv.startsWith(`${bwrap} --unshare-pid `)).toBe(true);
    expect(argv).toMatch(/ --die-with-parent --unshare-net /);
    expect(argv).toContain(`--chdir /w -- ${sh} -c ${GATE}exec "$@" sh a`);
    expect(argv).not.toContain('--bind / /');
    expect(wrap({ ...sandbox, network: true }, ['a'], false, '/w')).not.toContain('--unshare-net');
  });
});
