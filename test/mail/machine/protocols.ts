/** Protocols that several tests use, as their authors would write them. */

/** An architect, an engineer, and a qa; questions go up, reviews go across; everything that asks blocks the whole role. */
export const team = `
roles:
  architect: {}
  engineer: {}
  qa: {}
messages:
  task: { from: [user], to: [architect] }
  design: { from: [architect], to: [engineer] }
  question:
    from: [engineer, qa]
    to: [architect, user]
    reply: [answer]
    timeout: 30m
  answer: { from: [architect, user], to: [engineer, qa] }
  review-request: { from: [engineer], to: [qa], reply: [review-feedback] }
  review-feedback: { from: [qa], to: [engineer] }
  delivered: { from: [engineer], to: [user], closes: true }
  report: { from: [architect, engineer, qa], to: [user] }
expects:
  engineer: [{ any: [design, review-feedback, answer] }]
start: { type: task, to: architect }
`;

/** Roles of equal rank that may ask each other; how much a question blocks is up to the test. */
export function peers(blocking: string, more = ''): string {
  return `
roles:
  one: { concurrency: 3 }
  two: { concurrency: 3 }
  three: { concurrency: 3 }
messages:
  go: { from: [user], to: [one, two, three] }
  ask: { from: [one, two, three], to: [one, two, three], reply: [say], blocking: ${blocking}${more} }
  say: { from: [one, two, three], to: [one, two, three] }
  note: { from: [one, two, three], to: [one, two, three] }
  report: { from: [one, two, three], to: [user] }
`;
}

/** Two builders whose work is joined. */
export const joined = `
roles:
  architect: {}
  backend: {}
  frontend: {}
  integrator: {}
messages:
  task: { from: [user], to: [architect] }
  backend-task: { from: [architect], to: [backend] }
  frontend-task: { from: [architect], to: [frontend] }
  backend-done: { from: [backend], to: [integrator] }
  frontend-done: { from: [frontend], to: [integrator] }
  urgent: { from: [architect], to: [integrator] }
  integrated: { from: [integrator], to: [user], closes: true }
expects:
  integrator: [{ any: [urgent] }, { all: [backend-done, frontend-done] }]
`;
