import { Link } from '@tanstack/react-router';
import IconCircle from '@tabler/icons-react/dist/esm/icons/IconCircle.mjs';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import { CopyButton } from '../../components/copy-button.tsx';

/** Command of the operator. People cannot create companies in the browser. */
const DEMO_COMMAND = 'npx --no compliance demo create --company "Acme Robotics"';

interface FirstStepsProps {
  isAdmin: boolean;
  hasFramework: boolean;
  hasTask: boolean;
  hasVendor: boolean;
}

/** Steps of a new company, each with the page on which it is done. */
export function FirstSteps({ isAdmin, hasFramework, hasTask, hasVendor }: FirstStepsProps) {
  const steps = [
    {
      to: '/frameworks',
      text: 'Create a framework',
      why: 'A standard that you follow, for example ISO 27001. Every task belongs to one.',
      isDone: hasFramework,
      isForAdmins: true,
    },
    { to: '/tasks', text: 'Create a task', why: 'A piece of work with a due date and a status.', isDone: hasTask },
    { to: '/vendors', text: 'Add a vendor', why: 'A company or service that you rely on.', isDone: hasVendor },
    {
      to: '/api-keys',
      text: 'Create an API key',
      why: 'Your own tools read and change tasks and vendors with it.',
      isForAdmins: true,
    },
  ] as const satisfies readonly { to: string; text: string; why: string; isDone?: boolean; isForAdmins?: boolean }[];
  return (
    <section className="panel panel-wide" aria-labelledby="first-steps">
      <div className="panel-top">
        <h2 id="first-steps">First steps</h2>
      </div>
      <ol className="panel-list">
        {steps.map((step) => {
          const isDone = 'isDone' in step && step.isDone;
          const isForOthers = 'isForAdmins' in step && !isAdmin;
          const Icon = isDone ? IconCircleCheck : IconCircle;
          return (
            <li key={step.to}>
              <Icon size={18} stroke={1.6} className="quiet" aria-hidden />
              <span className="grow">
                <Link to={step.to}>{step.text}</Link> <span className="quiet">{step.why}</span>
              </span>
              {isDone ? <span className="quiet">Done</span> : isForOthers && <span className="quiet">For admins</span>}
            </li>
          );
        })}
      </ol>
      <p className="quiet-text">
        To look around first, create a company with a year of invented work. The operator runs this where the server is:
      </p>
      <p className="command">
        <code className="mono">{DEMO_COMMAND}</code>
        <CopyButton value={DEMO_COMMAND} label="Copy the command" />
      </p>
    </section>
  );
}
