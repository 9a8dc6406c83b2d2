import fc from '../../support/fast-check.ts';

/** A generated definition as text, for `graph`. */
export const graphText: fc.Arbitrary<string> = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
      flags: fc.constantFrom(
        '',
        '',
        '',
        'continue',
        'skip-dependents',
        'retry=1',
        'retry=2 jitter',
        'check=2',
        'check=3 go-on',
        'check=4 stall=1',
        'agent=claude',
        'agent=codex continue',
        'agent=claude check=2 retry=1',
        'gate=10m/reject',
        'gate=10m/approve',
        'gate=10m/abort',
        'any',
        'one_success',
        'none_failed',
        'all_done',
        'fails="it is over"',
        'when="steps.$.values.v == 1"',
        'say="${{ steps.$.values.v }}"',
        'each=[1,2,3] concurrency=2',
        'each=[1,2,3] continue',
        'each=[1,2] retry=1',
        'each=[]',
        'child',
        'child continue limit=5m',
        'role=qa',
      ),
      inner: fc.constantFrom(
        'a',
        'a\n b <- a',
        'a : continue\n b <- a\n c',
        'a : ok=b fail=_break\n b : ok=_end fail=_continue',
        'a\n last : finally\n   b',
      ),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) =>
    [
      ...steps.map(({ needs, flags, inner }, index) => {
        const before = [...new Set(needs.filter(() => index > 0).map((need) => `s${String(need % index)}`))];
        const usable = flags.includes('$') && !before[0] ? '' : flags.replace('$.', `${before[0] ?? ''}.`);
        const arrow = before.length === 0 ? '' : ` <- ${before.join(' ')}`;
        const hasInner = /each=\[\d|child/.test(usable);
        const body = hasInner
          ? `\n${inner
              .split('\n')
              .map((line) => `  ${line.replace(/^ /, '')}`)
              .join('\n')}`
          : '';
        return `s${String(index)}${arrow}${usable === '' ? '' : ` : ${usable}`}${body}`;
      }),
      ...(steps.length % 3 === 0 ? ['last : finally\n  a\n  b <- a'] : []),
    ].join('\n'),
  );

/** A generated sequence. */
export const sequenceText: fc.Arbitrary<string> = fc.integer({ min: 1, max: 5 }).chain((size) => {
  const target = fc.oneof(
    fc.nat({ max: size - 1 }).map((index) => `s${String(index)}`),
    fc.constantFrom('_end', '_error'),
  );
  const flags = fc.constantFrom(
    '',
    'retry=1',
    'check=2',
    'each=[1,2]',
    'when="steps.s0.values.v == 1"',
    'fails="it is over"',
    'route="steps.s0.values.v == 1->_end;s0"',
  );
  return fc
    .array(fc.record({ ok: target, fail: target, flags }), { minLength: size, maxLength: size })
    .map((steps) =>
      steps
        .map(({ ok, fail, flags: more }, index) => {
          const body = more.startsWith('each') ? '\n  a : ok=_end fail=_continue' : '';
          return `s${String(index)} : ok=${ok} fail=${fail} ${more}${body}`;
        })
        .join('\n'),
    );
});
