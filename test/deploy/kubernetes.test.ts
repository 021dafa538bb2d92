import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadSettings } from '../../server/config/settings.ts';

const folder = join(import.meta.dirname, '../../deploy/kubernetes');
const read = async (name: string): Promise<unknown> => parse(await readFile(join(folder, name), 'utf8'));

const Named = z.object({ name: z.string() });
const Container = z.object({
  image: z.string(),
  env: z.array(z.object({ name: z.string(), value: z.string().optional(), valueFrom: z.unknown().optional() })),
  envFrom: z.array(z.object({ configMapRef: Named.optional(), secretRef: Named.optional() })).default([]),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).default([]),
});
const Workload = z.object({
  metadata: Named,
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        securityContext: z.unknown(),
        containers: z.tuple([Container]),
        volumes: z.array(z.object({ name: z.string(), emptyDir: z.object({ sizeLimit: z.string() }) })).default([]),
      }),
    }),
  }),
});
const Kustomization = z.object({
  resources: z.array(z.string()),
  images: z.tuple([Named]),
  configMapGenerator: z.tuple([z.object({ name: z.string(), literals: z.array(z.string()) })]),
});

const kustomization = Kustomization.parse(await read('kustomization.yaml'));
const deployment = Workload.parse(await read('deployment.yaml'));
const job = Workload.parse(await read('migration.yaml'));
const [api] = deployment.spec.template.spec.containers;
const [migration] = job.spec.template.spec.containers;
const [config] = kustomization.configMapGenerator;

const SECRETS = {
  DATABASE_URL: 'postgresql://compliance_app:secret@compliance-postgres-rw/compliance',
  MIGRATION_DATABASE_URL: 'postgresql://compliance_owner:secret@compliance-postgres-rw/compliance',
  OPERATOR_TOKEN: 'x'.repeat(32),
};
const valuesOf = ({ env }: z.infer<typeof Container>) =>
  Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));

test('the kustomization has every manifest of the folder, and replaces the image that the manifests name', async () => {
  const files = (await readdir(folder)).filter((name) => name !== 'kustomization.yaml');
  expect(kustomization.resources.toSorted()).toEqual(files.toSorted());
  for (const { image } of [api, migration]) expect(image).toBe(kustomization.images[0].name);
});

test('the settings of the manifests are those of the service, and only the job migrates', () => {
  const literals = Object.fromEntries(config.literals.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const settings = { ...SECRETS, ...literals, ...valuesOf(api) };
  expect(loadSettings(settings)).toMatchObject({
    appUrl: literals['APP_URL'],
    trustProxy: 1,
    runMigrations: false,
    metricsHost: '0.0.0.0',
    metricsPort: api.ports.find(({ name }) => name === 'metrics')?.containerPort,
    port: api.ports.find(({ name }) => name === 'http')?.containerPort,
  });
  expect(loadSettings({ ...SECRETS, ...valuesOf(migration) })).toMatchObject({ endsAfterMigrations: true });
});

test('secrets are references, and no manifest is one', async () => {
  expect(api.envFrom).toEqual([{ configMapRef: { name: config.name } }, { secretRef: { name: 'compliance' } }]);
  expect(migration.env.filter(({ value }) => value === undefined)).toEqual([
    { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'compliance', key: 'DATABASE_URL' } } },
    { name: 'MIGRATION_DATABASE_URL', valueFrom: { secretKeyRef: { name: 'compliance-postgres-app', key: 'uri' } } },
  ]);
  for (const name of await readdir(folder))
    expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/postgresql:\/\/|kind: Secret|secretGenerator/);
});

test('the containers have no privileges, and write only where the image does', async () => {
  for (const { spec } of [deployment.spec.template, job.spec.template]) {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
  expect(api.volumeMounts.map(({ name }) => name)).toEqual(
    deployment.spec.template.spec.volumes.map(({ name }) => name),
  );
  const dockerfile = await readFile(join(folder, '../../Dockerfile'), 'utf8');
  const dataDir = /DATA_DIR=(\S+) TMPDIR=(\S+)/.exec(dockerfile);
  for (const path of dataDir?.slice(1) ?? ['none'])
    expect(api.volumeMounts.map(({ mountPath }) => mountPath)).toContain(path);
});

test('the other manifests refer to the deployment and to its pods', async () => {
  const { labels } = deployment.spec.template.metadata;
  expect(await read('deployment.yaml')).toMatchObject({ spec: { selector: { matchLabels: labels } } });
  expect(await read('service.yaml')).toMatchObject({ spec: { selector: labels, ports: [{ targetPort: 'http' }] } });
  expect(await read('disruption-budget.yaml')).toMatchObject({ spec: { selector: { matchLabels: labels } } });
  const { name } = deployment.metadata;
  expect(await read('autoscaler.yaml')).toMatchObject({ spec: { scaleTargetRef: { kind: 'Deployment', name } } });
  const service = z.object({ metadata: Named }).parse(await read('service.yaml')).metadata.name;
  expect(JSON.stringify(await read('ingress.yaml'))).toContain(
    `"service":{"name":"${service}","port":{"name":"http"}}`,
  );
  // The pods of the job serve nothing.
  expect(job.spec.template.metadata.labels).not.toMatchObject(labels);
});
