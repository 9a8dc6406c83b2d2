import { describe, expect, it } from 'vitest';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { mermaidOf } from '../../src/graph/mermaid.ts';
import { protocolDiagram, protocolText } from '../../src/graph/protocol.ts';
import { protocolDocument } from '../../src/mail/questions/protocol-document.ts';

const text = `
name: parts
workspace: { worktree: role }
roles:
  lead: { provider: claude, capabilities: [READ, EDIT] }
  engineer: { provider: claude, capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: lead }
  part: { from: lead, to: engineer, thread: new, reply: [done], fan_out: 3, budget: { usd: 2 } }
  done: { from: engineer, to: lead }
  delivered: { from: lead, to: user, closes: true, lands: { branch: main, by: squash } }
`;
const checked = parseProtocol([{ file: 'parts.yaml', text }]);
if (!checked.ok) throw new Error(checked.problems.map(({ message }) => message).join('\n'));
const protocol = checked.value;

describe('a protocol with sub-threads and a landing', () => {
  it('says in lines how many sub-threads a request opens, and where work lands', () => {
    expect(protocolText(protocol)).toEqual([
      'user ── task ──▶ lead',
      'lead ── part (opens up to 3 sub-threads, waits for all) ──▶ engineer ── done ──▶ lead',
      'lead ── delivered (closes the thread, lands on main) ──▶ user',
    ]);
  });

  it('has a thick arrow for the request and a dashed one for its answer', () => {
    const mermaid = mermaidOf(protocolDiagram(protocol));
    expect(mermaid).toContain('  n1 ==>|"part, opens up to 3 sub-threads, waits for all"| n2\n');
    expect(mermaid).toContain('  n2 -.->|"done"| n1\n');
    expect(mermaid).toContain('  n1 -->|"delivered, closes the thread, lands on main"| n0\n');
  });

  it('is told to programs', () => {
    const types = new Map(protocolDocument(protocol).types.map((type) => [type.name, type]));
    expect(types.get('part')).toMatchObject({
      lands: null,
      sub_threads: { fan_out: 3, budget: { usd: 2, tokens: null } },
    });
    expect(types.get('delivered')).toMatchObject({
      lands: { branch: 'main', by: 'squash', approval: false },
      sub_threads: null,
    });
  });
});
