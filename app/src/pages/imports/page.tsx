import { useState } from 'react';
import { Page as Frame } from '../../components/page.tsx';
import { useSession } from '../../components/use-session.ts';
import { ExportForm } from './export-form.tsx';
import { ImportForm } from './import-form.tsx';
import './imports.css';
import { PastImports } from './past-imports.tsx';
import { TargetFields } from './target.tsx';
import type { Target } from './target.tsx';

export function Page() {
  const { canWrite } = useSession();
  const [target, setTarget] = useState<Target>({ kind: 'vendor', framework: null });
  const [frameworkError, setFrameworkError] = useState<string>();
  const onFrameworkMissing = () => setFrameworkError('Choose a framework.');
  const key = `${target.kind} ${target.framework}`;
  return (
    <Frame title="Imports">
      <TargetFields
        value={target}
        frameworkError={frameworkError}
        onChange={(next) => {
          setTarget(next);
          setFrameworkError(undefined);
        }}
      />
      <div className="transfer">
        {canWrite && (
          <section>
            <h2>Import</h2>
            <ImportForm target={target} onFrameworkMissing={onFrameworkMissing} />
          </section>
        )}
        <section>
          <h2>Export</h2>
          <ExportForm key={key} target={target} onFrameworkMissing={onFrameworkMissing} />
        </section>
      </div>
      <h2 className="past">Past imports</h2>
      <PastImports />
    </Frame>
  );
}
