import type { Definition, Nodes, Parents, Root, Table } from 'mdast';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import { targetOf } from '../links.ts';
import { visible } from './text.tsx';

/** Deeper parts are shown as they were written. */
const deepest = 24;
interface Drawing {
  readonly source: string;
  readonly links: ReadonlyMap<string, Definition>;
  readonly levels: ReadonlyMap<Nodes, number>;
}

/**
 * A text drawn from its tree by elements of our own: no HTML, no pictures, nothing from elsewhere.
 * `within`: the level of the heading above it.
 */
export function Markdown({
  tree,
  source,
  within,
}: {
  readonly tree: Root;
  readonly source: string;
  readonly within: number;
}) {
  const drawing = useMemo(
    () => ({ source, links: linksOf(tree), levels: levelsOf(tree, within) }),
    [tree, source, within],
  );
  return <div class="markdown">{drawAll(tree, drawing, 0)}</div>;
}

function linksOf(tree: Root): Map<string, Definition> {
  const links = new Map<string, Definition>();
  const collect = (node: Nodes, depth: number): void => {
    if (node.type === 'definition' && !links.has(node.identifier)) links.set(node.identifier, node);
    if ('children' in node && depth < deepest) for (const child of node.children) collect(child, depth + 1);
  };
  collect(tree, 0);
  return links;
}

/**
 * The levels of the headings: each is at most one below the one before, as readers of pages need.
 */
function levelsOf(tree: Root, within: number): Map<Nodes, number> {
  const levels = new Map<Nodes, number>();
  const open: number[] = [];
  for (const node of tree.children) {
    if (node.type !== 'heading') continue;
    while (open.length > 0 && open.at(-1)! >= node.depth) open.pop();
    open.push(node.depth);
    levels.set(node, Math.min(6, within + open.length));
  }
  return levels;
}

function drawAll(parent: Parents, drawing: Drawing, depth: number): ComponentChildren {
  return parent.children.map((node, index) => <Node key={index} {...{ node, drawing, depth: depth + 1 }} />);
}

interface NodeProps {
  readonly node: Nodes;
  readonly drawing: Drawing;
  readonly depth: number;
}

function Node({ node, drawing, depth }: NodeProps): ComponentChildren {
  if (depth > deepest) return <>{visible(written(node, drawing))}</>;
  const inner = () => ('children' in node ? drawAll(node, drawing, depth) : null);
  switch (node.type) {
    case 'text':
      return <>{visible(node.value)}</>;
    case 'paragraph':
      return <p>{inner()}</p>;
    case 'emphasis':
      return <em>{inner()}</em>;
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'delete':
      return <del>{inner()}</del>;
    case 'break':
      return <br />;
    case 'inlineCode':
      return <code>{visible(node.value)}</code>;
    case 'link':
      return (
        <Link url={node.url} text={plainOf(node)}>
          {inner()}
        </Link>
      );
    case 'linkReference': {
      const target = drawing.links.get(node.identifier);
      if (target === undefined) return <>{visible(written(node, drawing))}</>;
      return (
        <Link url={target.url} text={plainOf(node)}>
          {inner()}
        </Link>
      );
    }
    default:
      return <Block {...{ node, drawing, depth }} />;
  }
}

function Block({ node, drawing, depth }: NodeProps): ComponentChildren {
  const inner = () => ('children' in node ? drawAll(node, drawing, depth) : null);
  switch (node.type) {
    case 'heading': {
      const level = drawing.levels.get(node);
      // Inside of lists and quotes a heading has no place in the outline of the page.
      if (level === undefined) return <p class="heading">{inner()}</p>;
      const Heading = `h${String(level)}` as 'h3';
      return <Heading class={`heading-${String(node.depth)}`}>{inner()}</Heading>;
    }
    case 'code':
      return (
        <pre class="text code" tabIndex={0}>
          {visible(node.value)}
        </pre>
      );
    case 'blockquote':
      return <blockquote>{inner()}</blockquote>;
    case 'list':
      return node.ordered === true ? <ol start={node.start ?? 1}>{inner()}</ol> : <ul>{inner()}</ul>;
    case 'listItem':
      return (
        <li class={node.checked == null ? undefined : 'task'}>
          {node.checked != null && <span class="tick">{node.checked ? '☑ ' : '☐ '}</span>}
          {inner()}
        </li>
      );
    case 'thematicBreak':
      return <hr />;
    case 'table':
      return <Cells {...{ node, drawing, depth }} />;
    case 'image':
      return <>{`[picture: ${visible(node.alt ?? '')}] (${oneLine(node.url, 300)})`}</>;
    default:
      // HTML, footnotes, definitions, references to pictures: as they were written.
      return depth === 1 ? <p>{visible(written(node, drawing))}</p> : <>{visible(written(node, drawing))}</>;
  }
}

function Cells({ node, drawing, depth }: NodeProps & { readonly node: Table }) {
  const [head, ...rows] = node.children;
  const align = (index: number) => (node.align?.[index] === 'right' ? 'number' : undefined);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, index) =>
              cell.children.length === 0 ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col" class={align(index)}>
                  {drawAll(cell, drawing, depth + 2)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.children.map((cell, index) => (
                <td key={index} class={align(index)}>
                  {drawAll(cell, drawing, depth + 2)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The part of the text that a node was read from. */
function written({ position }: Nodes, { source }: Drawing): string {
  return source.slice(position?.start.offset, position?.end.offset);
}

function plainOf(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node && node.children.length < 50 ? node.children.map(plainOf).join('') : '';
}

/**
 * A link says where it leads, beside words that say something else, and opens by a click alone.
 */
function Link({
  url,
  text,
  children,
}: {
  readonly url: string;
  readonly text: string;
  readonly children: ComponentChildren;
}) {
  const target = targetOf(url);
  const href = target?.href ?? url;
  const isShown = [href, href.replace(/\/$/, ''), href.replace(/^mailto:/, '')].includes(text);
  const place = isShown ? null : <span class="dim">{` (${oneLine(href, 300)})`}</span>;
  if (target === null)
    return (
      <>
        {children}
        {place}
      </>
    );
  return (
    <>
      <a href={target.href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
      {place}
    </>
  );
}
