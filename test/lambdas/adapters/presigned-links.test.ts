const before = { ...process.env };
afterAll(() => {
  process.env = before;
});

test('a presigned link has the object, the signer, its session and the time, and no secret', async () => {
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI-of-the-example',
    AWS_SESSION_TOKEN: 'session-of-the-role',
  });
  const { presignedLink } = await import('../../../lambdas/adapters/s3');
  const link = await presignedLink('results', 'reports/run-1/report.html', 6);
  const { origin, pathname, searchParams } = new URL(link);
  expect(origin + pathname).toBe('https://results.s3.eu-central-1.amazonaws.com/reports/run-1/report.html');
  expect(searchParams.get('X-Amz-Expires')).toBe('21600');
  expect(searchParams.get('X-Amz-Credential')).toMatch(/^AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request$/);
  expect(searchParams.get('X-Amz-Security-Token')).toBe('session-of-the-role');
  expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  expect(searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
  expect(link).not.toContain('wJalr');
});
