import { describe, expect, it } from 'vitest';
import { kindOfPath } from '../../src/process/sandbox/obeyed-paths.ts';

const places = {
  project: 'apps/mail',
  named: ['apps/mail/tools/agent.sh', 'apps/mail/hooks', 'shared/base.yaml'],
  isProject: (folder: string) => folder === 'apps/other',
};

const kinds = {
  state: `
    apps/mail/.mailroom/control/x.json
    .mailroom/key
    deep/er/.mailroom/journal/1
    apps/mail/.Mailroom/control/x.json
    apps/mail/.mail\u200broom/control/x.json
    apps/mail/.mailroom
    apps/mail/agents/b/inbox/f.md
    apps/mail/agents/b/outbox
    apps/mail/agents/user/sent/2026-01/x.md
    apps/mail/Agents/B/INBOX/f.md
    apps/mail/agents/b/processed/x
    apps/mail/agents/b/failed/x
    apps/other/agents/b/inbox/f.md
  `,
  rule: `
    apps
    apps/mail
    apps/mail/mailroom.yaml
    apps/mail/MAILROOM.yaml
    apps/mail/agents.yaml
    apps/mail/.skillmeat-workflow-overrides.yaml
    apps/mail/protocols/team.yaml
    apps/mail/protocols
    apps/mail/workflows/deep/evil.yaml
    apps/mail/agents/b/role.md
    apps/mail/agents/b
    apps/mail/agents
    apps/mail/tools/agent.sh
    apps/mail/tools
    apps/mail/hooks/pre-commit
    shared/base.yaml
    shared
    apps/other/workflows/w.yaml
    anywhere/mailroom.yaml
    src/.claude/settings.json
    .codex
    .gemini/settings.json
    .opencode/plugin/x.ts
    .pi/settings.json
    .agents/hooks.json
    .mcp.json
    web/opencode.json
    opencode.jsonc
    .env
    api/.env.local
    .envrc
    .gitattributes
    src/.gitattributes
    .gitmodules
    .lfsconfig
  `,
  work: `
    README.md
    src/workflows/run.ts
    src/agents/inbox/index.ts
    workflows/not-a-project.yaml
    apps/mail/src/protocols/http.ts
    apps/mail/tools/other.sh
    apps/mail/tools.md
    apps/mail/hook
    apps/mailroom/x
    mailroom.yaml.md
    environment.ts
    .github/workflows/ci.yml
    .gitignore
    CLAUDE.md
  `,
};

describe('a path of work', () => {
  const words = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);
  const cases = Object.entries(kinds).flatMap(([kind, paths]) =>
    words(paths).map((path) => [path, kind] as const),
  );
  it.each(cases)('%s is %s', (path, kind) => {
    expect(kindOfPath(path, places)).toBe(kind);
  });

  it('is a rule in a project at the top of its repository as well', () => {
    const top = { project: '', named: [], isProject: () => false };
    const kindAt = (path: string) => kindOfPath(path, top);
    expect(['workflows/w.yaml', 'agents/a/role.md', 'mailroom.yaml'].map(kindAt)).toEqual([
      'rule',
      'rule',
      'rule',
    ]);
    expect(['agents/a/inbox/x.md', '.mailroom/control/x.json'].map(kindAt)).toEqual(['state', 'state']);
    expect(['src/a.ts', 'apps/workflows/x'].map(kindAt)).toEqual(['work', 'work']);
  });
});
