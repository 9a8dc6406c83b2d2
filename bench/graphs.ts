/** A step of a measured graph: what it needs, by number. */
type Needs = readonly number[];

/** Layers of so many steps; each step needs the first of the layer above and the one above itself. */
export function layered(count: number, width: number): Needs[] {
  return Array.from({ length: count }, (_none, index) => {
    const above = (Math.floor(index / width) - 1) * width;
    return index < width ? [] : [...new Set([above, above + (index % width)])];
  });
}

/** The beginning of a definition, up to its steps. */
export const head = 'name: measured\nversion: "1"\ntimeout: 1d\n';

/** The graph as a workflow, each step `bash -c true`. */
export function workflowOf(graph: readonly Needs[]): string {
  const steps = graph.map((needs, index) => {
    const after = needs.length === 0 ? '' : `, depends_on: [${needs.map(name).join(', ')}]`;
    return `  ${name(index)}: { worker: CUSTOM, capabilities: [READ], instructions: "true"${after} }\n`;
  });
  return `${head}steps:\n${steps.join('')}`;
}

/** So many steps that one waits for, whatever they did, and a last one that runs whatever happened. */
export function joinedOf(count: number): string {
  const names = Array.from({ length: count }, (_none, index) => name(index));
  const steps = names.map((each) => `  ${each}: { command: ['true'] }\n`).join('');
  const end = `  end: { join: one_success, depends_on: [${names.join(', ')}], command: ['true'] }\n`;
  return `${head}steps:\n${steps}${end}finally:\n  last: { command: ['true'] }\n`;
}

/** A loop over so many items with keys, all of which a step behind it reads. */
export function keyedOf(count: number): string {
  const items = Array.from({ length: count }, (_none, index) => name(index)).join(', ');
  const steps = "steps: { one: { command: ['true'] } }";
  const loop = `{ items: [${items}], key: '\${{ item }}', concurrency: 10, ${steps} }`;
  const end = "{ depends_on: [each], command: [echo, '${{ steps.each.failed }}'] }";
  return `${head}steps:\n  each:\n    for_each: ${loop}\n  end: ${end}\n`;
}

export function makefileOf(graph: readonly Needs[]): string {
  const rules = graph.map(
    (needs, index) => `${name(index)}: ${needs.map(name).join(' ')}\n\t@bash -c true\n`,
  );
  const all = graph.map((_needs, index) => name(index)).join(' ');
  return `all: ${all}\n.PHONY: all ${all}\n${rules.join('')}`;
}

export function ninjaOf(graph: readonly Needs[]): string {
  const builds = graph.map(
    (needs, index) =>
      `build ${name(index)}: run${needs.length === 0 ? '' : ` | ${needs.map(name).join(' ')}`}\n`,
  );
  return `rule run\n  command = bash -c true\n${builds.join('')}`;
}

function name(index: number): string {
  return `s${String(index)}`;
}
