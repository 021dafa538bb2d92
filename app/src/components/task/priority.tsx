import { Level } from '../level.tsx';
import { priorityText } from './choices.ts';

/** Icon of a priority, with its word. */
export const Priority = ({ priority }: { priority: number }) => (
  <Level level={priority} label={priorityText(priority)} />
);
