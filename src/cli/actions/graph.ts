import { MailroomError } from '../../kernel/errors.ts';
import type { Diagram } from '../../graph/diagram.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { Context } from '../context.ts';
import { expectDefinition } from '../run-start.ts';
import { openWorkflow } from '../workflow-place.ts';

interface GraphOptions {
  readonly protocol?: boolean;
  readonly format?: string;
}

export async function draw(
  context: Context,
  reference: string | null,
  { protocol, format }: GraphOptions,
): Promise<number> {
  if ((reference === null) !== (protocol === true))
    throw new MailroomError('E_USAGE', '`graph` draws one workflow, or with `--protocol` the protocol');
  const text =
    reference === null ? await protocolAs(context, format) : await workflowAs(context, reference, format);
  context.terminal.write(text);
  return 0;
}

async function workflowAs(context: Context, reference: string, format = 'mermaid'): Promise<string> {
  const definition = expectDefinition(await openWorkflow(context, reference));
  const { diagramOf } = await import('../../graph/diagram.ts');
  return drawn(diagramOf(definition), format, 'mermaid');
}

async function protocolAs(context: Context, format = 'text'): Promise<string> {
  const definition = await context.project().definition();
  if (!definition.ok) throw new ProblemsError(definition.problems);
  const { protocol } = definition.value;
  const { protocolDiagram, protocolText } = await import('../../graph/protocol.ts');
  if (format === 'text') return `${protocolText(protocol).join('\n')}\n`;
  return drawn(protocolDiagram(protocol), format, 'text or mermaid');
}

async function drawn(picture: Diagram, format: string, formats: string): Promise<string> {
  if (format === 'mermaid') return (await import('../../graph/mermaid.ts')).mermaidOf(picture);
  throw new MailroomError('E_USAGE', `\`${format}\` is not a diagram format`, `formats: ${formats}`);
}
