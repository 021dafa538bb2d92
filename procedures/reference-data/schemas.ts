import { z } from 'zod';
import { idOutput } from '../../entities/fields/schemas.ts';
import { gapResource } from '../../entities/reference-data/gap.ts';
import { departmentResource, frameworkResource } from '../../entities/reference-data/reference-data.ts';

const archived = z
  .boolean()
  .meta({ description: 'True if it is archived; tasks cannot be given it any more', examples: [false] });
const named = ({ schemas: { name } }: typeof frameworkResource | typeof departmentResource) =>
  z.object({ id: idOutput, name: name.output, archived });

export const FrameworkOutput = named(frameworkResource)
  .extend({
    owner: frameworkResource.schemas.owner.shown.meta({ examples: [null] }),
    auditDate: frameworkResource.schemas.auditDate.output.meta({ examples: [null] }),
  })
  .meta({
    id: 'Framework',
    description: 'A standard or a law that the company follows',
  });
export const DepartmentOutput = named(departmentResource).meta({
  id: 'Department',
  description: 'A part of the company that is responsible for tasks',
});
export const GapOutput = z
  .object({
    id: idOutput,
    title: gapResource.schemas.title.output,
    archived,
    requirement: gapResource.schemas.requirement.output.meta({ examples: [null] }),
    status: gapResource.schemas.status.output,
    owner: gapResource.schemas.owner.shown.meta({ examples: [null] }),
    dueDate: gapResource.schemas.dueDate.output.meta({ examples: [null] }),
  })
  .meta({ id: 'Gap', description: 'Something that a framework requires and the company does not have yet' });
