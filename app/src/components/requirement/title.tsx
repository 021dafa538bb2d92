import { Link } from '@tanstack/react-router';
import type { Requirement } from './choices.ts';

/** Ref and title of a requirement, with a link to its page. A heading is bold. */
export const RequirementTitle = ({
  requirement: { uniqueId, ref, title, assessable = true },
}: {
  requirement: Pick<Requirement, 'uniqueId' | 'ref' | 'title'> & Partial<Pick<Requirement, 'assessable'>>;
}) => (
  <Link
    to="/requirements/$uniqueId"
    params={{ uniqueId }}
    className={assessable ? undefined : 'outline-heading'}
    dir="auto"
  >
    <span className="outline-ref">{ref}</span> {title}
  </Link>
);
