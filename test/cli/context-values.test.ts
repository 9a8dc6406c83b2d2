import { describe, expect, it } from 'vitest';
import { planWorkflow } from '../../src/workflow/questions/start.ts';
import { ProjectFixture } from './project-fixture.ts';

const definition = `name: w
version: '1'
timeout: 20s
parameters: { count: { type: integer, default: 1 } }
context: { b: true, n: 3, s: text, l: [1], o: {}, p: '\${{ parameters.count }}', e: null }
steps: { s: { command: [echo, '\${{ context.n + 1 }}'] } }
`;

/** `plan` reads the values as `run` does, and starts nothing. */
async function planned(...given: readonly string[]) {
  const fixture = new ProjectFixture();
  fixture.disk.write('workflows/w.yaml', definition);
  const files = given.map((each, index) => {
    if (!each.startsWith('{')) return `--context=${each}`;
    fixture.files.set(`/files/${String(index)}.json`, each);
    return `--context-file=/files/${String(index)}.json`;
  });
  return fixture.run('plan', 'workflows/w.yaml', ...files);
}

describe('a value of `context` from the command line', () => {
  it.each(['b=false', 'n=5', 's=7', 'l=["a"]', 'o={"a":1}', 'p=2', 'e=anything', 'new=1'])(
    'fits its default: %s',
    async (given) => {
      expect(await planned(given)).toMatchObject({ code: 0, err: '' });
    },
  );

  it.each([
    ['b=no', 'the context value `b` must be true or false, not no'],
    ['n=five', 'the context value `n` must be a number, not five'],
    ['l=a', 'the context value `l` must be an array, not a; write it as JSON: \'["a", "b"]\''],
    ['o=[]', 'the context value `o` must be an object, not []; write it as JSON: \'{"a": 1}\''],
    ['p=many', 'the context value `p` must be a number, not many'],
    ['{"n": "7"}', 'the context value `n` must be a number, not "7"'],
    ['{"s": 7}', 'the context value `s` must be a string, not 7'],
  ])('is refused where it does not: %s', async (given, problem) => {
    const { code, err } = await planned(given);
    expect({ code, err }).toEqual({ code: 2, err: `error E_USAGE: ${problem}\n` });
  });

  it('replaces a wrong one of the file', async () => {
    expect(await planned('{"n": "7"}', 'n=7')).toMatchObject({ code: 0 });
  });

  it('is refused likewise where a program gives it', async () => {
    const fixture = new ProjectFixture();
    fixture.disk.write('workflows/w.yaml', definition);
    const given = (context: Record<string, number | string>) =>
      planWorkflow(fixture.project(), 'workflows/w.yaml', { parameters: {}, context });
    await expect(given({ n: 7 })).resolves.toMatchObject({ workflow: 'w' });
    await expect(given({ n: '7' })).rejects.toMatchObject({
      code: 'E_VALUE',
      message: 'the context value `n` must be a number, not "7"',
    });
  });
});
