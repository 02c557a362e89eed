import { describe, expect, jest, test } from '@jest/globals';
import { rootMaterial, testAuthority } from '../testing/authorities.ts';
import { parseCertificate } from '../x509/certificate.ts';
import { ServingCertificate } from './serving-certificate.ts';

const HOUR = 3_600_000;
const names = ['istiod.istio-system.svc'];

describe('the certificate of a server', () => {
  test('is for its names, and is renewed where the authority changes', async () => {
    const authority = await testAuthority();
    const problems: string[] = [];
    using serving = await ServingCertificate.issue({
      authority,
      names,
      ttl: HOUR,
      report: (problem) => problems.push(problem),
    });
    expect(parseCertificate(serving.credentials.cert).x509.checkHost(names[0]!)).toBe(names[0]);
    const renewed = new Promise<string | undefined>((resolve) => serving.subscribe(({ ca }) => resolve(ca)));
    authority.replace(await rootMaterial());
    expect(await renewed).toBe(authority.roots);
    expect(problems).toEqual([]);
  });

  test('is renewed halfway, and stays in use where that fails', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const authority = await testAuthority();
      const problems: string[] = [];
      using serving = await ServingCertificate.issue({
        authority,
        names,
        ttl: HOUR,
        report: (problem) => problems.push(problem),
      });
      const next = () => new Promise<string>((resolve) => serving.subscribe(({ cert }) => resolve(cert)));
      const [first, second] = [serving.credentials.cert, next()];
      jest.advanceTimersByTime(HOUR / 2 + 1000);
      expect(await second).not.toBe(first);
      jest.setSystemTime(Date.now() + 25 * HOUR);
      const before = serving.credentials;
      await serving.renew();
      expect(serving.credentials).toBe(before);
      expect(problems).toEqual([expect.stringContaining('signing certificate has expired')]);
    } finally {
      jest.useRealTimers();
    }
  });
});
