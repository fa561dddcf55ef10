import { BUILD_ROUTES } from './builds.ts';
import { CREATE_ROUTES } from './create.ts';
import { CUBE_TEMPLATE_ROUTES } from './cube-templates.ts';
import { EXTRA_ROUTES } from './extras.ts';
import type { ControlRoutes } from './handler.ts';
import { LIFECYCLE_ROUTES } from './lifecycle.ts';
import { LIST_ROUTES } from './list.ts';
import { SNAPSHOT_ROUTES } from './snapshots.ts';
import { TAG_ROUTES } from './tags.ts';
import { TEMPLATE_ROUTES } from './templates.ts';
import { VOLUME_CONTENT_ROUTES } from './volume-content.ts';
import { VOLUME_ROUTES } from './volumes.ts';

/** Every route of every preset; the presets say which of them exist. */
export const CONTROL_ROUTES: ControlRoutes = {
  ...BUILD_ROUTES,
  ...CREATE_ROUTES,
  ...CUBE_TEMPLATE_ROUTES,
  ...EXTRA_ROUTES,
  ...LIFECYCLE_ROUTES,
  ...LIST_ROUTES,
  ...SNAPSHOT_ROUTES,
  ...TAG_ROUTES,
  ...TEMPLATE_ROUTES,
  ...VOLUME_CONTENT_ROUTES,
  ...VOLUME_ROUTES,
};
