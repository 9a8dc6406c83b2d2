const script = (text: string, more = ''): string =>
  `{ worker: CUSTOM, capabilities: [EDIT], instructions: '${text}'${more} }`;
const log = (word: string): string => `echo ${word} >> log`;

/** Kinds of work of a run. Each says in the file `log` what was done; `done`: what must have been done in the end. */
export const kinds: Readonly<Record<string, { readonly steps: string; readonly done: readonly string[] }>> = {
  commands: {
    steps: `
  one: { command: [sh, -c, '${log('one')}'] }
  two: { command: [sh, -c, '${log('two')}'], depends_on: [one] }
`,
    done: ['one', 'two'],
  },
  artifacts: {
    steps: `
  one: ${script(`mkdir -p made; echo 1 > made/a; echo 1 > made/b; ${log('one')}`, ', outputs: [{ name: made, path: made }]')}
  two: ${script(`cmp in/a in/b; ${log('two')}`, ', depends_on: [one], inputs: [{ from: one, artifact: made, as: in }]')}
`,
    done: ['one', 'two'],
  },
  checks: {
    steps: `
  one:
    worker: CUSTOM
    capabilities: [EDIT]
    instructions: '${log('one')}'
    max_iterations: 3
    completion_check:
      worker: CUSTOM
      capabilities: [EDIT]
      decision_file: decision
      instructions: '[ $(grep -c one log) -ge 2 ] && echo PASS > decision || echo FAIL > decision'
  two: ${script(log('two'), ', depends_on: [one]')}
`,
    done: ['one', 'two'],
  },
  retries: {
    steps: `
  one: ${script(`[ -e tried ] || { touch tried; exit 1; }; ${log('one')}`, ', on_failure: retry, max_retries: 2')}
  two: ${script('exit 2', ', on_failure: continue, depends_on: [one]')}
  three: ${script(log('three'), ', depends_on: [two]')}
`,
    done: ['one', 'three'],
  },
  loops: {
    steps: `
  each: { for_each: { items: [a, b], as: item, concurrency: 2, steps: { do: ${script('echo "${{ item }}" >> log')} } } }
  two: ${script(log('two'), ', depends_on: [each]')}
`,
    done: ['a', 'b', 'two'],
  },
  gates: {
    steps: `
  ask: { gate: { message: Go on?, timeout: 200ms, on_timeout: approve } }
  two: ${script(log('two'), ', depends_on: [ask]')}
`,
    done: ['two'],
  },
  children: {
    steps: `
  child: { workflow: ./child.yaml, exports: [{ from: make, artifact: made, as: got }] }
  two: ${script(`cmp in/a in/b; ${log('two')}`, ', depends_on: [child], inputs: [{ from: child, artifact: got, as: in }]')}
`,
    done: ['make', 'two'],
  },
};

export const child = `name: child
version: "1"
timeout: 1m
steps:
  make: ${script(`mkdir -p made; echo 1 > made/a; echo 1 > made/b; ${log('make')}`, ', outputs: [{ name: made, path: made }]')}
`;
