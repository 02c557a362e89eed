// The applications of the demo, as a process of their own each:
//
//   application.ts backend PORT VERSION                answers with its version, and at /peer with what it knows of its caller
//   application.ts frontend PORT BACKEND_URL BACKEND   passes on what the back end answers
import { Agent, createServer, get, type IncomingMessage } from 'node:http';

const [role, port, ...rest] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

function callBackend(url: string, host: string): Promise<{ readonly status: number; readonly body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  get(url, { agent, headers: { host } }, (response: IncomingMessage) => {
    let body = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    response.on('end', () => resolve({ status: response.statusCode ?? 502, body }));
  }).on('error', reject);
  return promise;
}

async function answer({
  url = '/',
  headers,
}: IncomingMessage): Promise<{ readonly status: number; readonly body: string }> {
  const [first = '', host = ''] = rest;
  if (role === 'backend')
    return { status: 200, body: url === '/peer' ? String(headers['x-forwarded-client-cert']) : first };
  try {
    return await callBackend(`${first}${url}`, host);
  } catch (error) {
    return { status: 502, body: error instanceof Error ? error.message : String(error) };
  }
}

createServer(
  (request, response) =>
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
    }),
).listen(Number(port), '127.0.0.1', () => console.log(`${role} on port ${port}`));
