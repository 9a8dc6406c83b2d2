import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { expectDefinition } from '../run-start.ts';
import { openWorkflow } from '../workflow-place.ts';

export async function draw(context: Context, reference: string, format: string): Promise<number> {
  const { terminal } = context;
  const definition = expectDefinition(await openWorkflow(context, reference));
  const { diagramOf } = await import('../../operations/graph/diagram.ts');
  const picture = diagramOf(definition);
  if (format === 'mermaid') {
    const { mermaidOf } = await import('../../operations/graph/mermaid.ts');
    terminal.write(mermaidOf(picture));
  } else if (format === 'svg') {
    const { svgOf } = await import('../../operations/graph/svg.ts');
    terminal.write(svgOf(picture));
  } else throw new MailroomError('E_USAGE', `\`${format}\` is not a diagram format`, 'mermaid or svg');
  return 0;
}
