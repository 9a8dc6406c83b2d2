import { describe, expect, it } from 'vitest';
import { composerApi } from './composer-api.ts';

const ship = `workflow: { id: ship, name: Ship, version: 1.0.0 }
stages:
  - id: build
    name: Build it
    roles: { primary: { artifact: "agent:builder" }, tools: ["skill:search", "mcp:github"] }
`;

describe('artifacts', () => {
  it('are those that exist, and those that workflows name', async () => {
    const made = composerApi();
    const files = {
      'workflows/ship.yaml': ship,
      'agents/writer/role.md': '---\nprovider: codex\ncapabilities: [READ]\n---\n# Writes things\n',
      '.claude/agents/critic.md':
        '---\ndescription: Finds mistakes\ntools: Read, Edit\n---\nYou criticise.\n',
      '.claude/skills/search/SKILL.md': '---\ndescription: Searches\n---\nSearch.\n',
      'modules/rules.md': 'Be kind.\n',
      'memory/old.md': '---\nconfidence: high\n---\nThings.\n',
    };
    for (const [path, text] of Object.entries(files)) made.project.disk.plant(path, text);
    const { document } = await made.get('/api/v1/artifacts?kind=skill,mcp,ctx,memory');
    expect(document).toMatchObject([
      {
        ref: 'skill:search',
        kind: 'skill',
        description: 'Searches',
        file: '.claude/skills/search/SKILL.md',
        ok: true,
      },
      { ref: 'mcp:github', kind: 'mcp', file: null, ok: true },
      { ref: 'ctx:rules', kind: 'ctx', description: 'Be kind.' },
      { ref: 'memory/old.md', ok: false, problem: 'its `confidence` is not a number from 0 to 1' },
    ]);
    const agents = (await made.get('/api/v1/artifacts?kind=agent')).document as { name: string }[];
    const named = (name: string) => agents.find((each) => each.name === name);
    expect(named('writer')).toMatchObject({
      ref: 'agent:writer',
      description: 'Writes things',
      provider: 'codex',
      capabilities: ['READ'],
      ok: true,
    });
    expect(named('critic')).toMatchObject({ provider: 'claude', capabilities: ['READ', 'EDIT'] });
    expect(named('builder')).toMatchObject({
      file: null,
      ok: false,
      problem: '`agent:builder` is an agent that is not there',
    });
    expect(named('lead')).toBeUndefined();
  });
});
