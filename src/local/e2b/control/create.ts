import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { type Fields, readFields } from '../body.ts';
import { ApiError, ShapeError } from '../errors.ts';
import { NEVER } from '../lifetime.ts';
import type { SandboxSpec, VolumeMount } from '../live-sandbox.ts';
import { networkOf } from '../network.ts';
import type { E2bServices } from '../services.ts';
import type { ControlRoutes } from './handler.ts';
import { sandboxShape } from './shapes.ts';
import { timeoutOf } from './timeouts.ts';
import { checkVariables } from './variables.ts';

/** Creating sandboxes: up to SDK 2.50 by the first route, from 2.51 on by the second. */
export const CREATE_ROUTES: ControlRoutes = {
  'POST /sandboxes': (call, services) => create(call, services, 'v1'),
  'POST /v2/sandboxes': (call, services) => create(call, services, 'v2'),
};

/** Cube mounts folders of its hosts by this metadata. There is no such host here. */
const HOST_MOUNT = 'host-mount';

async function create(call: Call, services: E2bServices, route: 'v1' | 'v2'): Promise<Reply> {
  const spec = specOf(await readFields(call), services, route);
  const sandbox = await services.sandboxes.create(spec);
  return json(201, sandboxShape(sandbox, services, { withTrafficToken: true }));
}

function specOf(body: Fields, services: E2bServices, route: 'v1' | 'v2'): SandboxSpec {
  const { preset, templates } = services;
  const { lifetime, quirks } = preset;
  const reference = body.string('templateID');
  const envs = body.map('envVars') ?? body.map('envs') ?? {};
  if (quirks.checksVariables) checkVariables(envs);
  const { [HOST_MOUNT]: hostMount, ...rest } = body.map('metadata') ?? {};
  const isHostMount = preset.flavor === 'cube' && hostMount !== undefined;
  if (isHostMount) {
    throw new ApiError(400, 'this development server mounts no folders of its host: use a volume');
  }
  const metadata = hostMount === undefined ? rest : { ...rest, [HOST_MOUNT]: hostMount };
  const allowInternet = body.boolean('allow_internet_access');
  const network = networkOf(body.object('network'), allowInternet, preset);
  const isSecure = route === 'v2' || (body.boolean('secure') ?? false);
  if (!network.allowPublicTraffic && !isSecure && !quirks.ignoresSecure) {
    throw new ApiError(
      400,
      "You cannot create a sandbox without public access unless you enable secure envd access via 'secure' flag.",
    );
  }
  const timeoutS = timeoutOf(body.optionalInteger('timeout'), lifetime.defaultS[route], preset);
  return {
    template: templates.start(reference),
    metadata,
    envs,
    timeoutS: timeoutS ?? NEVER,
    ...lifecycleOf(body, services),
    network,
    allowInternet,
    mounts: (body.objects('volumeMounts') ?? []).map((mount) => mountOf(mount, services)),
    isSecure,
  };
}

type Lifecycle = Pick<SandboxSpec, 'onTimeout' | 'autoResume' | 'keepsMemory'>;

function lifecycleOf(body: Fields, { preset }: E2bServices): Lifecycle {
  const { takesFlatFlags, takesLifecycle } = preset.lifetime;
  const nested = takesLifecycle ? body.object('lifecycle') : undefined;
  if (nested !== undefined) {
    const onTimeout = nested.optionalString('onTimeout') ?? nested.optionalString('on_timeout');
    if (onTimeout !== undefined && onTimeout !== 'kill' && onTimeout !== 'pause') {
      throw new ShapeError(
        '/lifecycle/onTimeout',
        '`kill` or `pause`',
        `unknown variant \`${onTimeout}\``,
      );
    }
    return {
      onTimeout: onTimeout ?? 'kill',
      autoResume: nested.boolean('autoResume') ?? nested.boolean('auto_resume') ?? false,
      keepsMemory: true,
    };
  }
  if (!takesFlatFlags) return { onTimeout: 'kill', autoResume: false, keepsMemory: true };
  const autoPause = body.boolean('autoPause') ?? false;
  const autoResume =
    typeof body.raw.autoResume === 'boolean'
      ? body.raw.autoResume
      : (body.object('autoResume')?.boolean('enabled') ?? false);
  if (preset.quirks.alwaysKeepsMemory) {
    return { onTimeout: autoPause ? 'pause' : 'kill', autoResume, keepsMemory: true };
  }
  const keepsMemory = body.boolean('autoPauseMemory') ?? true;
  if (!keepsMemory && !autoPause) {
    throw new ApiError(400, 'autoPauseMemory=false only applies when autoPause is true.');
  }
  if (!keepsMemory && autoResume) {
    throw new ApiError(
      400,
      'autoPauseMemory=false (filesystem-only auto-pause) cannot be combined with autoResume: a filesystem-only snapshot cannot be auto-resumed by traffic and must be resumed explicitly.',
    );
  }
  return { onTimeout: autoPause ? 'pause' : 'kill', autoResume, keepsMemory };
}

function mountOf(mount: Fields, { preset }: E2bServices): VolumeMount {
  const isReadOnly = preset.quirks.cubeVolumes && mount.boolean('readOnly') === true;
  return {
    name: mount.string('name'),
    path: mount.string('path'),
    ...(isReadOnly ? { readOnly: true } : {}),
  };
}
