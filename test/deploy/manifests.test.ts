import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'deploy/kubernetes');
const program = (name: string) => join(root, 'node_modules/.bin', name);

interface Manifest {
  apiVersion: string;
  kind: string;
}
interface Model {
  validate(): void;
}

/** Reads the manifests of the folder, without that of kustomize, which has no published schema for npm. */
async function readManifests(): Promise<Manifest[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

/** Checks a manifest against the JSON schema of Kubernetes. @throws Error that names the field */
async function checkSchema(manifest: Manifest): Promise<void> {
  const { apiVersion, kind } = manifest;
  type Models = Record<string, new (data: Manifest) => Model>;
  const models = (await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}/${kind}`)) as Models;
  const Kind = models[kind];
  if (Kind === undefined) throw new Error(`${kind}: unknown`);
  new Kind(manifest).validate();
}

/** Returns the fields that Kubernetes does not know. The schemas allow them, the types do not. */
async function unknownFields(manifests: Manifest[]): Promise<string> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const types = await mkdtemp(join(cache, 'manifests-'));
  const source = manifests.map(
    (manifest, index) =>
      `import type { I${manifest.kind} as Type${index} } from 'kubernetes-models/${manifest.apiVersion}';
export const manifest${index}: Type${index} = ${JSON.stringify(manifest)};`,
  );
  await writeFile(join(types, 'manifests.ts'), source.join('\n'));
  const options = ['--noEmit', '--ignoreConfig', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
  const { stdout } = spawnSync(program('tsc'), [...options, 'manifests.ts'], { cwd: types, encoding: 'utf8' });
  await rm(types, { recursive: true });
  return stdout;
}

describe('the manifests for Kubernetes', () => {
  test('are valid, and have no field that Kubernetes does not know', async () => {
    const manifests = await readManifests();
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'PodDisruptionBudget',
      'Service',
    ]);
    for (const manifest of manifests) await checkSchema(manifest);
    expect(await unknownFields(manifests)).toBe('');
  });

  test('would be found invalid with a wrong quantity, a missing field or a misspelled one', async () => {
    const text = JSON.stringify((await readManifests()).find(({ kind }) => kind === 'Deployment'));
    const changed = (from: string, to: string) => {
      expect(text).toContain(from);
      return JSON.parse(text.replace(from, to)) as Manifest;
    };
    await expect(checkSchema(changed('"500m"', '"half"'))).rejects.toThrow(/resources\/requests\/cpu/);
    await expect(checkSchema(changed('"selector"', '"selectors"'))).rejects.toThrow(/selector/);
    expect(await unknownFields([changed('"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"')])).toContain(
      '\'"readOnlyRootFileSystem"\' does not exist',
    );
  });
});

test('the compose file follows the Compose specification, and would be found invalid with an unknown field', async () => {
  const file = join(root, 'deploy/compose.yaml');
  const folderOfInvalid = await mkdtemp(join(tmpdir(), 'compose-'));
  const invalid = join(folderOfInvalid, 'compose.yaml');
  await writeFile(invalid, (await readFile(file, 'utf8')).replace('stop_grace_period', 'stop_grace'));
  // A service is listed before those that serve it, not by the alphabet.
  const options = ['--max-warnings=0', '--disable-rule=services-alphabetical-order', '--formatter=json'];
  const { stdout } = spawnSync(program('dclint'), [file, invalid, ...options], { encoding: 'utf8' });
  await rm(folderOfInvalid, { recursive: true });
  expect(JSON.parse(stdout)).toMatchObject([
    { filePath: file, messages: [] },
    { filePath: invalid, messages: [{ rule: 'invalid-schema' }] },
  ]);
});

describe('the Dockerfile', () => {
  const messages = (text: string) =>
    validate(text, { deprecatedMaintainer: 2, instructionCmdMultiple: 2, instructionWorkdirRelative: 2 }).map(
      ({ message }) => message,
    );

  test('has no finding of the linter, which finds an unknown instruction and a relative folder', async () => {
    const text = await readFile(join(root, 'Dockerfile'), 'utf8');
    expect(messages(text)).toEqual([]);
    expect(messages(text.replace('WORKDIR /app', 'WORKDIR app').replace('EXPOSE', 'EXPOSED'))).toEqual([
      expect.stringContaining('WORKDIR'),
      'Unknown instruction: EXPOSED',
    ]);
  });
});
