import { MailroomError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { expectDefinition } from '../run-start.ts';

export async function draw(context: Context, reference: string, format: string): Promise<number> {
  const { services, terminal } = context;
  const definition = expectDefinition(await context.place().workflows.read(reference, services.cwd));
  const { pictureOf } = await import('../../engine/operations/graph/picture.ts');
  const picture = pictureOf(definition);
  if (format === 'mermaid') {
    const { mermaidOf } = await import('../../engine/operations/graph/mermaid.ts');
    terminal.write(mermaidOf(picture));
  } else if (format === 'svg') {
    const { svgOf } = await import('../../engine/operations/graph/svg.ts');
    terminal.write(svgOf(picture));
  } else throw new MailroomError('E_USAGE', `\`${format}\` is no format of a drawing`, 'mermaid or svg');
  return 0;
}
