import { execFileSync, spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { processCounters } from '../../server/http/process-counters.ts';
import { WorkerMetrics } from '../../server/process/worker-metrics.ts';
import { startMetricsServer } from '../../server/telemetry/metrics-server.ts';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import { database } from '../support/database/database.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const readText = (name: string) => readFile(join(root, name), 'utf8');
const PROMETHEUS = join(root, 'deploy/prometheus');

const Rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});
const Dashboard = z.object({
  panels: z.array(
    z.object({ id: z.int(), title: z.string(), targets: z.array(z.object({ expr: z.string(), refId: z.string() })) }),
  ),
});

const rules = Rules.parse(parse(await readText('deploy/prometheus/rules.yml'))).groups.flatMap((group) => group.rules);
const dashboard = Dashboard.parse(JSON.parse(await readText('deploy/grafana/dashboard.json')));
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
].map((expression) => expression.replaceAll('$__rate_interval', '5m'));

interface Selector {
  metric: string;
  /** Values that the expression requires, by label. */
  labels: Record<string, string>;
}

/** Returns the series that an expression selects. @throws Error if it is not PromQL */
function selectorsOf(expression: string): Selector[] {
  const text = (node: { from: number; to: number }) => expression.slice(node.from, node.to);
  const selectors: Selector[] = [];
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`${expression}: an error at ${node.from}`);
      if (node.name !== 'VectorSelector') return;
      const identifier = node.node.getChild('Identifier');
      const matchers = node.node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      const labels = matchers.map(
        (matcher) => /^(\w+)\s*(?:=|!=|=~|!~)\s*"(.*)"$/s.exec(text(matcher))?.slice(1) ?? [],
      );
      selectors.push({ metric: identifier ? text(identifier) : '', labels: Object.fromEntries(labels) });
    },
  });
  return selectors;
}

/** Labels and metrics that Prometheus adds. A label `job` of the service is called `exported_job` there. */
const ADDED_LABELS = new Set(['job', 'instance', 'cell']);
const ADDED_METRICS = new Set(['up']);

/** The same database, which also has the metrics of a pool and of a replica. */
function withPoolAndReplica(plain: typeof database): typeof database {
  const pool = { total: 10, idle: 4, waiting: 0, oldestWait: () => 0 };
  const added: Record<PropertyKey, unknown> = { pool, replicas: [{ isAvailable: true }] };
  return new Proxy(plain, {
    get(target, name) {
      const value: unknown = Object.hasOwn(added, name) ? added[name] : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('the rules and the dashboard', () => {
  /** Values of each label of each metric that a service exposes. */
  const exposed = new Map<string, Map<string, Set<string>>>();
  let page: string;

  beforeAll(async () => {
    // Metrics that only some installations have: those of a pool, of replicas and of workers.
    const metrics = startMetrics(withPoolAndReplica(database));
    metrics.observeRequest({
      requestId: 'x',
      key: null,
      company: null,
      method: 'GET',
      route: '/external/changes',
      status: 500,
      duration: 3,
    });
    processCounters.failures.set('request: failed', processCounters.failures.get('request: failed') ?? 0);
    processCounters.jobRuns.set('test', { succeeded: 0, failed: 0 });
    const workers = new WorkerMetrics(() => []);
    const endpoint = await startMetricsServer({ port: 0, host: '127.0.0.1' }, async () => [
      await metrics.collect(),
      ...(await workers.collect()),
    ]);
    page = await (await fetch(endpoint.url)).text();
    await endpoint.stop();
    processCounters.jobRuns.delete('test');
    for (const [, metric = '', labels = ''] of page.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const byLabel = exposed.get(metric) ?? new Map<string, Set<string>>();
      exposed.set(metric, byLabel);
      for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
        const name = ADDED_LABELS.has(label) ? `exported_${label}` : label;
        byLabel.set(name, (byLabel.get(name) ?? new Set()).add(value));
      }
    }
  });

  test('use only metrics and labels that the service exposes', () => {
    const problems = expressions.flatMap((expression) =>
      selectorsOf(expression).flatMap(({ metric, labels }) => {
        if (ADDED_METRICS.has(metric)) return [];
        const known = exposed.get(metric);
        if (known === undefined) return [`${metric}: not exposed`];
        return Object.entries(labels).flatMap(([label, value]) => {
          if (ADDED_LABELS.has(label)) return [];
          // The routes and the numbers of le are those of the requests that a service had.
          const isKnown = known.get(label)?.has(value) === true || (label === 'route' && known.has(label));
          return isKnown ? [] : [`${metric}: no ${label}="${value}"`];
        });
      }),
    );
    expect(problems).toEqual([]);
    expect(selectorsOf('rate(a{b="c", d!~"e"}[5m]) / sum by (f) (g)')).toEqual([
      { metric: 'a', labels: { b: 'c', d: 'e' } },
      { metric: 'g', labels: {} },
    ]);
    expect(() => selectorsOf('sum(rate(a[5m])')).toThrow('an error');
  });

  test('group by labels that a metric of the expression has', () => {
    const groupings = expressions.flatMap((expression) =>
      [...expression.matchAll(/\b(?:by|ignoring) \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
        labels.split(/,\s*/).map((label) => ({
          expression,
          label,
          isKnown:
            ADDED_LABELS.has(label) ||
            selectorsOf(expression).some(({ metric }) => exposed.get(metric)?.has(label) === true),
        })),
      ),
    );
    expect(groupings.length).toBeGreaterThan(10);
    expect(groupings.filter(({ isKnown }) => !isKnown)).toEqual([]);
  });

  test('show every metric of the service, and the documentation explains it', async () => {
    const used = new Set(
      expressions.flatMap(selectorsOf).map(({ metric }) => metric.replace(/_(?:bucket|sum|count)$/, '')),
    );
    const own = [...page.matchAll(/^# TYPE (\w+) /gm)]
      .map(([, name = '']) => name)
      .filter((name) => !/^(?:process|nodejs)_/.test(name));
    expect(own).toContain('http_request_duration_seconds');
    expect(own.filter((name) => !used.has(name))).toEqual([]);
    const documentation = await readText('docs/operations/monitoring.md');
    expect(own.filter((name) => !documentation.includes(`\`${name}\``))).toEqual([]);
  });

  test('have a panel for each id and a reference for each query of a panel', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { targets } of dashboard.panels)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  });
});

/** True if promtool is installed. Always true with CI set, so that a missing one fails the tests. */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0 || process.env['CI'] === 'true';

describe.runIf(hasPromtool)('the alert rules', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await cp(PROMETHEUS, folder, { recursive: true });
  });

  test('are valid, and so is the configuration that loads them', () => {
    const output = execFileSync('promtool', ['check', 'config', '--lint-fatal', join(PROMETHEUS, 'prometheus.yml')], {
      encoding: 'utf8',
    });
    expect(output).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  test('fire when they must, each in its test, which notices a rule that does not', async () => {
    const runTests = () =>
      spawnSync('promtool', ['test', 'rules', join(folder, 'rules.test.yml')], { encoding: 'utf8' });
    expect(runTests()).toMatchObject({ status: 0, stdout: expect.stringContaining('SUCCESS') });
    const tests = await readText('deploy/prometheus/rules.test.yml');
    expect(rules.filter(({ alert }) => !tests.includes(alert))).toEqual([]);
    const text = await readText('deploy/prometheus/rules.yml');
    await writeFile(join(folder, 'rules.yml'), text.replace('ignoring (state) ', ''));
    expect(runTests()).toMatchObject({ status: 1, stderr: expect.stringContaining('PoolExhausted') });
  });
});
