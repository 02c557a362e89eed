/** The body of an answer with status 200. Rejects for every other, and where there is none in time. */
export async function getText(url: string, timeoutMs = 5000): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${body.trim()}`);
  return body;
}

export async function getJson(url: string): Promise<unknown> {
  return JSON.parse(await getText(url));
}
