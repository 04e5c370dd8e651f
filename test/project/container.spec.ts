import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';

/** `INSTRUCTION rest`, continued lines joined, comments left out. */
const instructions = readFileSync('Dockerfile', 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    return { name, rest };
  });

interface Stage {
  readonly name: string;
  readonly from: string;
  readonly steps: readonly { readonly name: string; readonly rest: string }[];
}

const stages: readonly Stage[] = instructions.flatMap(({ name, rest }, index) => {
  if (name !== 'FROM') return [];
  const [from = '', , stage = ''] = rest.split(' ');
  const end = instructions.findIndex((each, at) => at > index && each.name === 'FROM');
  return [{ name: stage, from, steps: instructions.slice(index + 1, end === -1 ? undefined : end) }];
});

/** Every instruction that an image is built from: those of its stage, after those of the stages that it stands on. */
function stepsOf(stage: string): Stage['steps'] {
  const found = stages.find(({ name }) => name === stage);
  return found ? [...stepsOf(found.from), ...found.steps] : [];
}

const texts = z.array(z.string()).default([]);
const service = z.looseObject({
  build: z.string().optional(),
  image: z.string(),
  ulimits: z.object({ nofile: z.object({ soft: z.number() }) }).optional(),
  logging: z.object({ options: z.record(z.string(), z.string()) }),
  stop_grace_period: z.string().default(''),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: texts,
  volumes: z
    .array(
      z.union([
        z.string(),
        z
          .looseObject({ source: z.string(), target: z.string(), read_only: z.literal(true) })
          .transform(({ source, target }) => `${source}:${target}:ro`),
      ]),
    )
    .default([]),
  tmpfs: texts,
  ports: texts,
  networks: texts,
});
const compose = z
  .looseObject({
    services: z.record(z.string(), service),
    networks: z.record(z.string(), z.unknown()),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  .parse(parse(readFileSync('compose.yaml', 'utf8')));
const services = Object.entries(compose.services);
const own = service.parse(compose.services['store-sync']);

const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.looseObject({
        version: z.string().optional(),
        resolved: z.string().optional(),
        integrity: z.string().optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));

function argumentsOf(name: string): string[] {
  return stepsOf('production')
    .filter((each) => each.name === name)
    .map(({ rest }) => rest);
}

describe('the image', () => {
  it('is based on the release of Node that the tests run on, by its digest', () => {
    const base = instructions.find(({ name }) => name === 'ARG')?.rest;
    const release = packages['node_modules/node']?.version ?? '?';
    expect(base).toMatch(new RegExp(`^NODE_IMAGE=node:${release}-bookworm-slim@sha256:[0-9a-f]{64}$`));
    expect(new Set(stages.map(({ from }) => from))).toEqual(new Set(['${NODE_IMAGE}', 'build', 'base']));
  });

  it('is the production one, without the demo, the sandbox and optional packages, unless `--target` asks for another', () => {
    expect(stages.at(-1)?.name).toBe('production');
    const copied = argumentsOf('COPY').filter((rest) => rest.startsWith('--from'));
    expect(copied.map((rest) => rest.split(' ')[0])).toEqual([
      '--from=production-files',
      '--from=production-files',
    ]);
    // What is left works: test/e2e/cli/production-image.
    const [removal] = stages.find(({ name }) => name === 'production-files')!.steps;
    expect(removal!.rest).toMatch(
      /^rm -r dist\/sandbox dist\/cli\/demo +&& npm prune --omit=dev --omit=optional /,
    );
  });

  it('runs as a numbered user other than root', () => {
    expect(argumentsOf('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  });

  it('lets the program itself hear the signal to stop', () => {
    expect(argumentsOf('ENTRYPOINT')).toEqual(['["node", "bin/store-sync.js"]']);
    expect(argumentsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('is asked for its health without a shell', () => {
    expect(argumentsOf('HEALTHCHECK')).toEqual([
      expect.stringMatching(/CMD \["node", "-e", ".*\/health\/live/),
    ]);
  });

  it('holds what was built and installed, not what built it', () => {
    const own = argumentsOf('COPY').filter((rest) => !rest.startsWith('--from='));
    expect(own.join(' ').split(' ')).not.toContain('.');
    const prunes = instructions.filter(({ rest }) => rest.includes('npm prune'));
    expect(prunes.filter(({ rest }) => !rest.includes('--omit=dev'))).toEqual([]);
  });

  it('gets nothing that its build does not name: no secret of the checkout, no test', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(ignored.find((line) => !line.startsWith('#'))).toBe('*');
    expect(ignored).toEqual(expect.arrayContaining(['**/*.spec.ts', '**/.env*']));
    expect(ignored).not.toContain('!test');
  });

  it('sets no secret in its environment', () => {
    for (const rest of [...argumentsOf('ENV'), ...argumentsOf('ARG')])
      expect(rest).not.toMatch(/TOKEN|SECRET|PASSWORD/);
  });
});

describe.each(services)('the service %s', (_name, each) => {
  it('has a read-only root, no privileges to gain, and bounds', () => {
    expect(each).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
      mem_limit: expect.any(String),
      pids_limit: expect.any(Number),
      cpus: expect.any(Number),
    });
    expect(each.logging.options).toMatchObject({
      'max-size': expect.any(String),
      'max-file': expect.any(String),
    });
    expect([...each.volumes, ...each.tmpfs].length).toBeGreaterThan(0);
  });

  it('is named by more than "latest"', () => {
    expect(each.build !== undefined || /:\d/.test(each.image)).toBe(true);
  });
});

describe('store-sync in compose', () => {
  it('gets every secret as a file, and no secret as a value', () => {
    for (const [name, value] of Object.entries(own.environment)) {
      if (name.endsWith('_FILE')) expect(own.secrets).toContain(value.replace('/run/secrets/', ''));
      else expect(name).not.toMatch(/TOKEN|SECRET|PASSWORD|DATABASE_URL/);
    }
    expect(own.environment['DATABASE_URL_FILE']).toBeDefined();
    const used = services.flatMap(([, { secrets }]) => secrets);
    expect(new Set(used)).toEqual(new Set(Object.keys(compose.secrets)));
  });

  it('may have more files open than it takes connections', () => {
    expect(own.ulimits?.nofile.soft).toBeGreaterThan(10_000);
  });

  it('has longer to stop than it needs', () => {
    expect(own['init']).toBe(true);
    expect(Number(/^(\d+)s$/.exec(own.stop_grace_period)?.[1])).toBeGreaterThanOrEqual(30);
  });

  it('can write where it has to: the embedded database and the files of an export', () => {
    const targets = own.volumes.map((volume) => volume.split(':')[1]);
    expect(targets).toEqual(expect.arrayContaining(['/app/data', '/tmp']));
    for (const volume of own.volumes.filter((each) => each.startsWith('./'))) expect(volume).toMatch(/:ro$/);
    expect(own.tmpfs).toEqual([]);
  });

  it('signs in to its database as the owner, who is no superuser', () => {
    const database = service.parse(compose.services['postgres']);
    expect(database.volumes).toContainEqual(
      expect.stringMatching(/^\.\/config\/postgres-owner\.sql:\/docker-entrypoint-initdb\.d\/.*:ro/),
    );
    // The user in POSTGRES_USER would be a superuser.
    expect(database.environment).toEqual({ POSTGRES_PASSWORD_FILE: '/run/secrets/postgres_password' });
    const made = readFileSync('config/postgres-owner.sql', 'utf8');
    expect(made).toMatch(/CREATE ROLE store_sync LOGIN NOSUPERUSER/);
    expect(made).toMatch(/CREATE DATABASE store_sync OWNER store_sync/);
  });

  it('is open to this machine alone, and its database and queue to nobody but it', () => {
    for (const port of own.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    const inner = services.filter(([name]) => name !== 'store-sync');
    for (const [, each] of inner) {
      expect(each.ports).toEqual([]);
      for (const network of each.networks) expect(compose.networks[network]).toEqual({ internal: true });
      expect(each['healthcheck']).toBeDefined();
    }
  });
});

describe('the lockfile', () => {
  it('names a digest for every package but those of platforms that the image does not have', () => {
    const loose = Object.entries(packages).filter(
      ([path, { integrity }]) => path !== '' && integrity?.startsWith('sha512-') !== true,
    );
    const isOfImage = ({ os, cpu }: Record<string, unknown>): boolean =>
      [os ?? 'linux'].flat().includes('linux') && /x64|arm64/.test(JSON.stringify(cpu ?? 'x64'));
    const needed = loose.filter(([, each]) => each['optional'] !== true || isOfImage(each));
    expect(needed.map(([path]) => path)).toEqual([]);
  });

  it('takes nothing from anywhere but a registry', () => {
    const elsewhere = Object.entries(packages).filter(
      ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });
});

describe('the layout by roles', () => {
  const layered = z
    .object({
      services: z.record(z.string(), z.looseObject({ environment: z.record(z.string(), z.string()) })),
    })
    .parse(parse(readFileSync('compose.roles.yaml', 'utf8')));
  const receive = service.parse(layered.services['receive']);

  it('gives the container that receives no credentials of stores, workspaces and dashboard', () => {
    expect(receive.secrets).toEqual([
      'database_url',
      'catalog_webhook_secret',
      'shopify_client_secret',
      'woocommerce_webhook_secret',
    ]);
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(receive.secrets));
    expect(receive.environment['STORE_SYNC_ROLES']).toBe('receive');
  });

  it('leaves work and dashboard to the other one', () => {
    expect(layered.services['store-sync']?.environment).toEqual({ STORE_SYNC_ROLES: 'work,admin' });
  });
});
