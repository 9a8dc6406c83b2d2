import type { Diagram, DiagramNode, Edge } from './diagram.ts';

const arrows: Readonly<Record<Edge['line'], string>> = { solid: '-->', dashed: '-.->', thick: '==>' };

/** The drawing as a Mermaid flowchart, which many Markdown viewers show. */
export function mermaidOf({ nodes, frames, edges }: Diagram): string {
  const places = [...frames.map(({ path }) => path), ...nodes.map(({ path }) => path)];
  const names = new Map(places.map((path, index) => [path, `n${String(index)}`]));
  const nameOf = (path: string) => names.get(path) ?? quoted(path);
  const inside = (frame: string | null, indent: string): string[] => [
    ...nodes
      .filter((node) => node.frame === frame)
      .map((node) => `${indent}${nameOf(node.path)}${boxOf(node)}`),
    ...frames
      .filter((one) => one.frame === frame)
      .flatMap(({ path, label }) => [
        `${indent}subgraph ${nameOf(path)} [${quoted(label)}]`,
        ...inside(path, `${indent}  `),
        `${indent}end`,
      ]),
  ];
  const drawn = edges.map(({ from, to, label, line }) => {
    const arrow = arrows[line];
    const labelled = label === '' ? arrow : `${arrow}|${quoted(label)}|`;
    return `  ${nameOf(from)} ${labelled} ${nameOf(to)}`;
  });
  return `${['flowchart TD', ...inside(null, '  '), ...drawn].join('\n')}\n`;
}

function boxOf({ name, who, shape }: DiagramNode): string {
  const label = quoted(`${name}\n${who}`);
  switch (shape) {
    case 'step':
      return `[${label}]`;
    case 'gate':
      return `{{${label}}}`;
    case 'condition':
      return `([${label}])`;
  }
}

/** Mermaid decodes entities in quoted labels; other characters in them have no special meaning. */
function quoted(text: string): string {
  const escaped = text.replace(/[&"<>#;`]/g, (sign) => `#${String(sign.codePointAt(0))};`);
  return `"${escaped.replaceAll('\n', '<br/>')}"`;
}
