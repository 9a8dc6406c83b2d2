/** The protocol of most tests here: a person, two agents that review each other's work, and a second person. */
export const team = `name: team
version: '1'
roles:
  architect: { provider: claude, capabilities: [READ] }
  engineer: { provider: codex, capabilities: [READ, EDIT, RUN_COMMANDS], retries: 1 }
  qa: { provider: claude, capabilities: [READ] }
  lead: { provider: human }
messages:
  task: { from: [user], to: [architect] }
  chore: { from: [user], to: [engineer], fields: { size: { type: integer }, name: { type: string }, urgent: { type: boolean } } }
  errand: { from: [user, lead], to: [engineer] }
  design: { from: [architect], to: [engineer] }
  question: # mailroom-ok: E_PROTOCOL the architect decides
    from: [engineer, qa]
    to: [user, lead, architect]
    reply: [answer]
    blocking: true
    timeout: 30m
    on_timeout: fail
  answer: { from: [user, lead, architect], to: [engineer, qa] }
  review-request: { from: [engineer], to: [qa], reply: [review-feedback], blocking: true }
  review-feedback:
    from: [qa]
    to: [engineer]
    fields: { verdict: { type: string, enum: [approved, changes_requested], required: true } }
  delivered: { from: [engineer], to: [user], closes: true }
start: { type: task, to: architect }
`;

/** A message of an agent, as it writes one. */
export function letter(type: string, to: string, subject: string, rest = '', body = 'The text.\n'): string {
  return `---\ntype: ${type}\nto: ${to}\nsubject: ${subject}\n${rest}---\n${body}`;
}
