import { composerRoutes } from '../../../src/extensions/composer/routes.ts';
import { ProjectFixture } from '../../cli/project-fixture.ts';
import { ApiFixture } from '../../server/http/api-fixture.ts';

/** The API with the operations of the composer. */
export function composerApi(): ApiFixture {
  const project = new ProjectFixture();
  return new ApiFixture(project, project.project(), composerRoutes);
}
