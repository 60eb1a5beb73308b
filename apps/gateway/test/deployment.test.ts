import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DockerfileParser, type From, type JSONInstruction } from 'dockerfile-ast';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../src/config.js';
import type { GatewayConfig } from '../src/gateway-config.js';
import { SETTING_KEYS, variableOf } from '../src/settings/settings.js';

const deploy = fileURLToPath(new URL('../deploy/', import.meta.url));
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');
const run = promisify(execFile);

/** A drain and what is left after it, in seconds. */
const needed = ({ drainTimeoutMs }: GatewayConfig) => drainTimeoutMs / 1_000 + 5;

/** The configuration that settings give, all files there; throws where it is wrong. */
function configOf(env: Readonly<Record<string, string>>, text = ''): GatewayConfig {
  const loaded = loadConfig({ env, readText: () => text });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  return loaded.config;
}

describe('the Dockerfile', () => {
  const steps = DockerfileParser.parse(read('docker/Dockerfile')).getInstructions();
  const froms = steps.filter((step) => step.getKeyword() === 'FROM') as From[];
  const last = steps.slice(steps.indexOf(froms.at(-1) as From));
  const the = (keyword: string) => last.find((step) => step.getKeyword() === keyword);

  it('has only instructions that are known, and no base without a version', () => {
    const known = ['FROM', 'WORKDIR', 'ENV', 'COPY', 'RUN', 'USER', 'EXPOSE', 'STOPSIGNAL'];
    for (const step of steps) expect([...known, 'ENTRYPOINT']).toContain(step.getKeyword());
    for (const from of froms) expect(from.getImageTag()).toMatch(/\d|nonroot/);
  });

  it('ends in a stage without a shell or a build, as a user that is a number and not root', () => {
    expect(froms.at(-1)?.getImage()).toMatch(/distroless/);
    expect(the('RUN')).toBeUndefined();
    const [user] = the('USER')?.getRawArgumentsContent()?.split(':') ?? [];
    expect(Number(user)).toBeGreaterThan(0);
  });

  it('starts what the package has, without a shell between it and the signals', () => {
    const entry = the('ENTRYPOINT') as JSONInstruction;
    const words = entry.getJSONStrings().map((word) => word.getJSONValue());
    expect(words).toEqual(['/nodejs/bin/node', '/app/build/main.js']);
    expect(the('STOPSIGNAL')?.getRawArgumentsContent()).toBe('SIGTERM');
  });
});

describe('docker compose', () => {
  const { services } = parse(read('docker/compose.yaml')) as {
    services: Record<string, Record<string, unknown>>;
  };

  it.each(Object.entries(services))('%s cannot write, nor become more', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      healthcheck: { test: expect.any(Array) },
    });
  });

  it('gives the gateway settings that it takes, ports of loopback and time to end', () => {
    const {
      environment,
      ports,
      stop_grace_period: grace,
    } = services.gateway as {
      environment: Record<string, string>;
      ports: string[];
      stop_grace_period: string;
    };
    const variables = SETTING_KEYS.map(variableOf);
    for (const name of Object.keys(environment)) expect(variables).toContain(name);
    const config = configOf(environment);
    expect(Number.parseInt(grace, 10)).toBeGreaterThanOrEqual(needed(config));
    const open = [config.listen.port, config.metricsServer?.listen.port];
    expect(ports).toEqual(open.map((port) => `127.0.0.1:${port}:${port}`));
  });
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is asserted
  readonly [part: string]: any;
}

describe('the manifests of Kubernetes', () => {
  const { resources } = parse(read('kubernetes/kustomization.yaml')) as { resources: string[] };
  const all = resources.flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Manifest;
    }),
  );
  const the = (kind: string, name = 'echomq-gateway') => {
    const found = all.find((each) => each.kind === kind && each.metadata.name === name);
    if (!found) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const pod = the('Deployment').spec.template;
  const [container] = pod.spec.containers;
  const config = configOf(
    { ECHOMQ_CONFIG: container.args[1] },
    the('ConfigMap').data['gateway.yaml'],
  );

  it('select what they mean', () => {
    const { labels } = pod.metadata;
    const selectors = [
      the('Deployment').spec.selector.matchLabels,
      the('PodDisruptionBudget').spec.selector.matchLabels,
      the('NetworkPolicy').spec.podSelector.matchLabels,
      the('Service', 'echomq').spec.selector,
      the('Service', 'echomq-metrics').spec.selector,
    ];
    for (const selector of selectors) expect(labels).toMatchObject(selector);
    const { matchLabels } = the('ServiceMonitor').spec.selector;
    expect(the('Service', 'echomq-metrics').metadata.labels).toMatchObject(matchLabels);
    expect(the('PodDisruptionBudget').spec.minAvailable).toBeLessThan(
      the('Deployment').spec.replicas,
    );
  });

  it('name ports that are listened on', () => {
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [
        name,
        containerPort,
      ]),
    );
    expect(ports).toEqual({ grpc: config.listen.port, metrics: config.metricsServer?.listen.port });
    const [front] = the('Service', 'echomq').spec.ports;
    const speaks = config.tls === undefined ? 'kubernetes.io/h2c' : 'https';
    expect(front).toMatchObject({ targetPort: 'grpc', appProtocol: speaks });
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
    expect(probes.map(({ httpGet }) => httpGet)).toEqual([
      { path: '/livez', port: 'metrics' },
      { path: '/readyz', port: 'metrics' },
      { path: '/livez', port: 'metrics' },
    ]);
  });

  it('run it without rights and with an end in good order', () => {
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.spec.automountServiceAccountToken).toBe(false);
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed(config));
  });

  it('mount every file that the settings name, and hold no secret', () => {
    const mounts: string[] = container.volumeMounts.map(
      ({ mountPath }: { mountPath: string }) => mountPath,
    );
    const text: string = the('ConfigMap').data['gateway.yaml'];
    const files = [...text.matchAll(/: (\/\S+)/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(4);
    for (const file of [...files, container.args[1]]) {
      expect(mounts).toContain(file.slice(0, file.lastIndexOf('/')));
    }
    expect(all.map(({ kind }) => kind)).not.toContain('Secret');
  });
});

describe('the unit of systemd', () => {
  const unit = read('systemd/echomq-gateway.service');

  it('gives it time to end, and does not repeat a wrong configuration', () => {
    const [, seconds] = /TimeoutStopSec=(\d+)/.exec(unit) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(needed(configOf({})));
    expect(unit).toContain('RestartPreventExitStatus=2');
  });

  it.runIf(existsSync('/usr/bin/systemd-analyze'))('is one that systemd takes', async () => {
    const { stdout, stderr } = await run('systemd-analyze', [
      'verify',
      join(deploy, 'systemd/echomq-gateway.service'),
    ]);
    expect(stdout + stderr).not.toContain('echomq-gateway');
  });
});

describe('the examples of proxies', () => {
  it('Envoy: no time limit ends a stream, and ids of requests pass', () => {
    const text = read('proxies/envoy.yaml');
    const { static_resources: parts } = parse(text);
    const manager = parts.listeners[0].filter_chains[0].filters[0].typed_config;
    expect(manager).toMatchObject({
      stream_idle_timeout: '0s',
      preserve_external_request_id: true,
    });
    const [route] = manager.route_config.virtual_hosts[0].routes;
    expect(route.route).toMatchObject({ cluster: parts.clusters[0].name, timeout: '0s' });
    expect(parts.clusters[0].health_checks[0]).toHaveProperty('grpc_health_check');
  });
});

describe('the package', () => {
  it('has one command, which `npx @echomq/gateway` runs', async () => {
    const path = fileURLToPath(new URL('../package.json', import.meta.url));
    const { bin, version } = JSON.parse(readFileSync(path, 'utf8'));
    expect(Object.keys(bin)).toEqual(['echomq-gateway']);
    const main = fileURLToPath(new URL(`../${bin['echomq-gateway']}`, import.meta.url));
    expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { stdout } = await run(process.execPath, [main, '--version']);
    expect(stdout).toBe(`${version}\n`);
  });
});
