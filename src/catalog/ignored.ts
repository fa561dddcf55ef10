/**
 * What the SDK has and the catalogue leaves out, with the reason. Ids are catalogue ids;
 * `*.name` stands for a member of that name on any type.
 */
export const IGNORED: Readonly<Record<string, string>> = {
  '*.UNKNOWN_DEFAULT_OPEN_API':
    'Placeholder the client generator adds for values it does not know.',
  'Daytona.createAxiosInstance': 'Internal helper that is only public by accident.',
  StorageAccessDto: 'Only met through SnapshotService.processImageContext, which is internal.',
  'ObjectStorageApi.getPushAccess': 'Only met through the same internal helper.',
};
