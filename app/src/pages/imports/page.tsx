import { useState } from 'react';
import { Page as Frame } from '../../components/page.tsx';
import { useSession } from '../../components/use-session.ts';
import { ExportForm } from './export-form.tsx';
import './imports.css';
import { PastImports } from './past-imports.tsx';
import { useShownImport } from './steps/use-shown-import.ts';
import { Wizard } from './steps/wizard.tsx';
import { TargetFields } from './target.tsx';
import type { Target } from './target.tsx';

export function Page() {
  const { canWrite } = useSession();
  const [target, setTarget] = useState<Target>({ kind: 'vendor', framework: null });
  const [frameworkError, setFrameworkError] = useState<string>();
  const [shown, show] = useShownImport();
  const onFrameworkMissing = () => setFrameworkError('Choose a framework.');
  const key = `${target.kind} ${target.framework}`;
  return (
    <Frame title="Imports">
      <TargetFields
        value={target}
        frameworkError={frameworkError}
        onChange={(next) => {
          setTarget(next);
          // A check holds for the kind and the framework for which it was made.
          if (shown !== undefined) show(undefined);
          setFrameworkError(undefined);
        }}
      />
      <div className="transfer screen-only">
        {canWrite && (
          <section>
            <h2>Import</h2>
            <Wizard target={target} onFrameworkMissing={onFrameworkMissing} />
          </section>
        )}
        <section>
          <h2>Export</h2>
          <ExportForm key={key} target={target} />
        </section>
      </div>
      <h2 className="past">Past imports</h2>
      <PastImports />
    </Frame>
  );
}
