import { expect, it } from 'vitest';
import { applySettings, parseSettings } from '../../src/project/compare-settings.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

const protocol = `name: two # ours
version: '1'
roles:
  a: { provider: claude, model: opus, capabilities: [READ] }
  b:
    provider: mine
  lead: { provider: human }
messages:
  task: { from: user, to: a }
  done: { from: [a, b], to: user, closes: true }
`;

/** The files after these settings, those that were changed first. */
function set(settings: string, config = '') {
  const disk = new MemoryDisk();
  disk.write('protocols/team.yaml', protocol);
  if (config !== '') disk.write('mailroom.yaml', config);
  const players = { a: 'claude', b: 'mine', lead: 'human' };
  const roles = new Map(Object.entries(players).map(([name, provider]) => [name, { name, provider }]));
  const rules = { protocol: { roles }, config: { trail: null } };
  const changed = applySettings(disk, rules, parseSettings(settings));
  const text = (path: string) => disk.read(path, 10_000)?.toString('utf8') ?? null;
  return { changed, config: text('mailroom.yaml'), protocol: text('protocols/team.yaml') };
}

it('a key of roles is set in each role that is not a person, and nothing else changes', () => {
  expect(set('model=haiku,capabilities=[READ, EDIT]').protocol).toBe(
    protocol
      .replace('model: opus, capabilities: [READ]', 'model: haiku, capabilities: [READ, EDIT]')
      .replace(
        '    provider: mine\n',
        '    provider: mine\n    model: haiku\n    capabilities: [READ, EDIT]\n',
      ),
  );
  expect(set('b.session=thread').protocol).toBe(
    protocol.replace('    provider: mine\n', '    provider: mine\n    session: thread\n'),
  );
});

it('an empty value removes a key, and one that is missing stays so', () => {
  expect(set('model=').protocol).toBe(protocol.replace(' model: opus,', ''));
});

it('a system prompt is set for the providers of the roles', () => {
  const { changed, config } = set('system_prompt=short', 'providers:\n  mine: { kind: pi } # ours\n');
  expect(changed).toEqual(['mailroom.yaml']);
  expect(config).toContain('  mine: { kind: pi, system_prompt: short } # ours\n');
  expect(config).toMatch(/ {2}claude:\s+system_prompt: short\n/);
});

it('other keys are those of mailroom.yaml, however deep', () => {
  expect(set('mcp=on,limits.nesting=2', 'mcp: off\n').config).toMatch(/^mcp: "on"\nlimits:\s+nesting: 2\n$/);
});

it('what is not a setting is refused', () => {
  expect(() => parseSettings('model')).toThrow('`model` is not a setting');
  expect(() => parseSettings('model=[')).toThrow('`model=[` is not a setting');
});
