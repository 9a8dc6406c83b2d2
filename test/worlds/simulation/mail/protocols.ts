/** Protocols as their authors would write them. All but `team` have short times, and are for the simulation. */
export const protocols: Readonly<Record<string, string>> = {
  team: `
name: team
version: "1"
roles:
  architect: { provider: scripted, capabilities: [READ], timeout: 10m }
  engineer: { provider: scripted, capabilities: [READ, EDIT], retries: 2, timeout: 10m }
  qa: { provider: scripted, capabilities: [READ] }
messages:
  task: { from: user, to: architect }
  design: { from: architect, to: engineer }
  question:
    { from: [engineer, qa], to: [architect, user], reply: [answer], blocking: true, timeout: 30m, on_timeout: escalate }
  answer: { from: [architect, user], to: [engineer, qa] }
  review-request: { from: engineer, to: qa, reply: [review-feedback], blocking: true }
  review-feedback:
    { from: qa, to: engineer, fields: { verdict: { type: string, enum: [approved, changes_requested], required: true } } }
  delivered: { from: engineer, to: user, closes: true }
limits: { turns_per_thread: 30, corrections: 2, nesting: 3 }
start: { type: task, to: architect }
`,
  gated: `
name: gated
version: "1"
roles:
  architect: { provider: scripted, capabilities: [READ], timeout: 2m }
  engineer: { provider: scripted, capabilities: [READ, EDIT], retries: 2, timeout: 2m, ask: { person: user, timeout: 90s } }
  qa: { provider: scripted, capabilities: [READ] }
messages:
  task: { from: user, to: architect }
  design: { from: architect, to: engineer }
  question:
    { from: [engineer, qa], to: [architect, user], reply: [answer], blocking: true, timeout: 45s, on_timeout: escalate }
  answer: { from: [architect, user], to: [engineer, qa] }
  review-request:
    { from: engineer, to: qa, reply: [review-feedback], blocking: true, gates: [{ run: [npm, test], timeout: 1m }] }
  review-feedback:
    { from: qa, to: engineer, fields: { verdict: { type: string, enum: [approved, changes_requested], required: true } } }
  poll: { from: architect, to: [engineer, qa], reply: [polled], blocking: false, timeout: 20s, on_timeout: fail }
  polled: { from: [engineer, qa], to: architect }
  delivered: { from: engineer, to: user, closes: true }
limits: { turns_per_thread: 30, corrections: 2, nesting: 3 }
start: { type: task, to: architect }
`,
  join: `
name: join
version: "1"
workspace: { worktree: role }
roles:
  planner: { provider: scripted, concurrency: 2 }
  backend: { provider: scripted, capabilities: [READ, EDIT] }
  frontend: { provider: scripted, capabilities: [READ, EDIT] }
  integrator: { provider: scripted }
messages:
  task: { from: user, to: planner }
  build: { from: planner, to: [backend, frontend] }
  backend-done: { from: backend, to: integrator }
  frontend-done: { from: frontend, to: integrator }
  help: { from: [backend, frontend], to: [frontend, backend], reply: [helped], blocking: role }
  helped: { from: [backend, frontend], to: [frontend, backend] }
  shipped: { from: integrator, to: user, closes: true }
expects:
  integrator: [{ all: [backend-done, frontend-done] }]
limits: { turns_per_thread: 25, corrections: 1, nesting: 2 }
start: { type: task, to: planner }
`,
  ring: `
name: ring
version: "1"
roles:
  a: { provider: scripted, retries: 1 }
  b: { provider: scripted, retries: 1 }
  c: { provider: scripted, retries: 1, budget: { usd: 1 } }
messages:
  begin: { from: user, to: [a, b, c] }
  ask: { from: [a, b, c], to: [a, b, c], reply: [tell], blocking: role }
  consult: { from: [a, b, c], to: [a, b, c, user], reply: [tell], blocking: thread, timeout: 60s, on_timeout: proceed }
  poll: { from: [a, b], to: [c], reply: [tell], blocking: false, timeout: 30s, on_timeout: fail }
  tell: { from: [a, b, c, user], to: [a, b, c] }
  done: { from: [a, b, c], to: user, closes: true }
limits: { turns_per_thread: 20, corrections: 1, nesting: 2 }
`,
  parts: `
name: parts
version: "1"
roles:
  lead: { provider: scripted }
  maker: { provider: scripted, retries: 1, ask: user }
  helper: { provider: scripted }
messages:
  task: { from: user, to: lead }
  order: { from: lead, to: maker, reply: [made], blocking: false, on_timeout: proceed }
  wish: { from: lead, to: [maker, helper], reply: [made], blocking: false, on_timeout: fail }
  hint: { from: lead, to: [maker, helper], reply: [made], timeout: 40s, on_timeout: escalate, escalate_to: helper }
  ask: { from: lead, to: [helper, user], reply: [made], timeout: 4s, on_timeout: escalate }
  part: { from: [lead, user], to: [maker, helper] }
  made: { from: [maker, helper, user], to: lead }
  done: { from: lead, to: user, closes: true }
expects:
  maker: [{ all: [order, part] }, { all: [wish, part] }, { any: [hint] }]
  helper: [{ all: [wish, part] }, { any: [ask, hint, part] }]
limits: { turns_per_thread: 20, corrections: 1, nesting: 2 }
start: { type: task, to: lead }
`,
  away: `
name: away
version: "1"
workspace: { worktree: role }
roles:
  planner: { provider: scripted, concurrency: 2 }
  backend: { provider: scripted, capabilities: [READ, EDIT], concurrency: 2, retries: 2, on: workers }
  frontend:
    { provider: scripted, capabilities: [READ, EDIT], concurrency: 2, retries: 2, timeout: 2m, on: { labels: [gpu] } }
messages:
  task: { from: user, to: [planner, backend] }
  build: { from: planner, to: [backend, frontend] }
  ask: { from: frontend, to: backend, reply: [made], blocking: true }
  made: { from: [backend, frontend], to: [planner, frontend] }
  shipped: { from: [planner, backend, frontend], to: user, closes: true, lands: main }
limits: { turns_per_thread: 20, corrections: 2, nesting: 2 }
start: { type: task, to: planner }
`,
  handed: `
name: handed
version: "1"
workspace: { worktree: role }
roles:
  architect: { provider: scripted, capabilities: [READ, EDIT] }
  engineer: { provider: scripted, capabilities: [READ, EDIT], concurrency: 2 }
messages:
  task: { from: user, to: architect }
  subtask: { from: architect, to: engineer, thread: new, reply: [done], join: all, fan_out: 3 }
  done: { from: engineer, to: architect }
  delivered: { from: architect, to: user, closes: true, lands: main }
limits: { turns_per_thread: 20, corrections: 2, nesting: 2 }
start: { type: task, to: architect }
`,
  landing: `
name: landing
version: "1"
workspace: { worktree: role }
roles:
  planner: { provider: scripted, concurrency: 2 }
  backend: { provider: scripted, capabilities: [READ, EDIT], concurrency: 2 }
  frontend: { provider: scripted, capabilities: [READ, EDIT], concurrency: 2 }
messages:
  task: { from: user, to: [planner, backend] }
  build: { from: planner, to: [backend, frontend] }
  made: { from: [backend, frontend], to: planner }
  shipped: { from: [planner, backend, frontend], to: user, closes: true, lands: main }
  released: { from: frontend, to: user, closes: true, lands: { branch: main, by: squash }, gates: [{ run: [npm, test] }] }
limits: { turns_per_thread: 20, corrections: 2 }
start: { type: task, to: planner }
`,
};
