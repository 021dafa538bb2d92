import type { Framework } from '../frameworks/kinds.ts';
export const Report = ({ framework }: { framework: Framework }) => framework.name;
