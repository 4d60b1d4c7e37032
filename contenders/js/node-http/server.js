import cluster from 'node:cluster';
import http from 'node:http';

// What Fastify takes by default.
const BODY_LIMIT = 1024 * 1024;

const { HOST, PORT } = process.env;
const cores = Number(process.env.CORES);

if (cores > 1 && cluster.isPrimary) {
  for (let i = 0; i < cores; i++) cluster.fork();
} else {
  http.createServer(handle).listen(Number(PORT), HOST);
}

function handle(request, response) {
  const { method, url } = request;
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);

  if (method === 'GET') {
    if (path === '/') return response.end();
    const id = path.startsWith('/user/') ? path.slice('/user/'.length) : '';
    if (id !== '' && !id.includes('/')) {
      response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      return response.end(id);
    }
  } else if (method === 'POST') {
    if (path === '/user') return response.end();
    if (path === '/coin') return coin(request, response);
  }
  fail(response, 404);
}

function coin(request, response) {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text) => {
    body += text;
    if (body.length > BODY_LIMIT) {
      request.removeAllListeners('data').removeAllListeners('end');
      response.setHeader('Connection', 'close');
      fail(response, 413);
    }
  });
  request.on('end', () => {
    const bet = parseBet(body);
    if (bet === undefined) return fail(response, 400);
    const win = (Math.random() < 0.5) === bet;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ win }));
  });
}

function parseBet(body) {
  try {
    const bet = JSON.parse(body)?.bet;
    return typeof bet === 'boolean' ? bet : undefined;
  } catch {
    return undefined;
  }
}

function fail(response, status) {
  response.statusCode = status;
  response.end();
}
