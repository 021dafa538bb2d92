import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { pathId } from '../schemas/fields.ts';
import { idOutput, textOutput } from '../schemas/output.ts';

const archived = z
  .boolean()
  .meta({ description: 'Archived reference data cannot be given to tasks', examples: [false] });

const named = (example: string) => z.object({ id: idOutput, name: textOutput(MAX_NAME_LENGTH, example), archived });

export const FrameworkOutput = named('ISO 27001').meta({ id: 'Framework' });

export const DepartmentOutput = named('Security').meta({ id: 'Department' });

export const GapOutput = z
  .object({ id: idOutput, title: textOutput(MAX_NAME_LENGTH, 'No access review'), archived })
  .meta({ id: 'Gap' });

export const GapQuery = z.strictObject({ framework: pathId('Framework of the gaps') });
