import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { withServer } from './support.ts';

interface Access {
  storageUrl: string;
  bucket: string;
  sessionToken: string;
}

withServer('the storage for build contexts', (server) => {
  const access = async (): Promise<Access> =>
    (await (await server().call('GET', '/object-storage/push-access')).json()) as Access;

  const send = async (
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> => {
    const { storageUrl, bucket, sessionToken } = await access();
    const response = await fetch(`${storageUrl}/${bucket}/${path}`, {
      method,
      headers: { 'x-amz-security-token': sessionToken, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  };

  const begin = async (key: string): Promise<string> => {
    const { text } = await send('POST', `${key}?uploads`);
    return /<UploadId>(.*)<\/UploadId>/.exec(text)?.[1] ?? '';
  };

  test('keeps objects, and lists them with their lengths', async () => {
    expect((await send('GET', 'team/a')).status).toBe(404);
    await send('PUT', 'team/a', 'first');
    await send('PUT', 'team/a', 'second');
    expect(await send('GET', 'team/a')).toEqual({ status: 200, text: 'second' });
    const { text } = await send('GET', '?prefix=team/');
    expect(text).toContain('<Key>team/a</Key>');
    expect(text).toContain('<Size>6</Size>');
    expect((await send('GET', '?prefix=none')).text).toContain('<KeyCount>0</KeyCount>');
    const stranger = await send('GET', 'team/a', undefined, { 'x-amz-security-token': 'other' });
    expect(stranger.status).toBe(403);
  });

  test('takes bodies that are cut into chunks', async () => {
    const cut = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' };
    // Longer than what arrives at once, and with what looks like a chunk inside.
    const long = '5\r\nhello\r\n'.repeat(60_000);
    const size = long.length.toString(16);
    const body = `5;chunk-signature=0f\r\nhello\r\n${size}\r\n${long}\r\n0\r\nx-amz-checksum:abc\r\n\r\n`;
    expect((await send('PUT', 'cut', body, cut)).status).toBe(200);
    expect((await send('GET', 'cut')).text).toBe(`hello${long}`);
    expect((await send('PUT', 'empty', '0\r\n\r\n', cut)).status).toBe(200);
    expect(await send('GET', 'empty')).toEqual({ status: 200, text: '' });
    expect((await send('PUT', 'cut', '5\r\nhell', cut)).status).toBe(400);
    expect((await send('GET', 'cut')).text).toHaveLength(5 + long.length);
  });

  test('puts parts together by their number', async () => {
    const id = await begin('parts');
    await send('PUT', `parts?partNumber=10&uploadId=${id}`, 'third');
    await send('PUT', `parts?partNumber=9&uploadId=${id}`, 'broken');
    await send('PUT', `parts?partNumber=9&uploadId=${id}`, 'second ');
    await send('PUT', `parts?partNumber=1&uploadId=${id}`, 'first ');
    expect((await send('GET', 'parts')).status).toBe(404);
    expect((await send('POST', `parts?uploadId=${id}`, '<list/>')).status).toBe(200);
    expect((await send('GET', 'parts')).text).toBe('first second third');
    const late = await send('PUT', `parts?partNumber=2&uploadId=${id}`, 'late');
    expect([late.status, late.text]).toEqual([404, expect.stringContaining('NoSuchUpload')]);
    const dropped = await begin('dropped');
    await send('PUT', `dropped?partNumber=1&uploadId=${dropped}`, 'x');
    expect((await send('DELETE', `dropped?uploadId=${dropped}`)).status).toBe(204);
    expect((await send('POST', `dropped?uploadId=${dropped}`, '<list/>')).status).toBe(404);
    expect((await send('GET', 'dropped')).status).toBe(404);
  });

  test('keeps nothing of an upload that breaks off', async () => {
    const { storageUrl, bucket, sessionToken } = await access();
    const upload = request(`${storageUrl}/${bucket}/broken`, {
      method: 'PUT',
      headers: { 'x-amz-security-token': sessionToken, 'content-length': 1000 },
    });
    upload.write('the first half', () => upload.destroy());
    await once(upload, 'error');
    expect((await send('GET', 'broken')).status).toBe(404);
  });

  test('nothing went wrong on the way', () => {
    expect(server().failures).toEqual([]);
  });
});
