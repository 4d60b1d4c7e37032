import cluster from 'node:cluster';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';

// What Fastify takes by default.
const BODY_LIMIT = 1024 * 1024;

const LONGEST_WAIT = 60_000;

const LARGEST_ECHO = 16 * 1024 * 1024;

const { HOST, PORT, PROTOCOL, TLS_CERT, TLS_KEY, DATA_DIR } = process.env;
const cores = Number(process.env.CORES);

if (cores > 1 && cluster.isPrimary) {
  for (let i = 0; i < cores; i++) cluster.fork();
} else {
  listener().listen(Number(PORT), HOST);
}

function listener() {
  switch (PROTOCOL) {
    case 'https1':
      return https.createServer(certificate(), handle);
    case 'h2c':
      return http2.createServer(handle);
    case 'h2':
      return http2.createSecureServer(certificate(), handle);
    default:
      return http.createServer(handle);
  }
}

function certificate() {
  return { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) };
}

function handle(request, response) {
  const { method, url } = request;
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);

  if (method === 'GET') {
    if (path === '/') return response.end();
    const id = after('/user/', path);
    if (id !== '') {
      response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      return response.end(id);
    }
    const ms = after('/wait/', path);
    if (ms !== '') return wait(response, ms);
    if (path === '/Perf/Echo') return echo(response, query < 0 ? '' : url.slice(query + 1));
    const operation = after('/Perf/', path);
    if (operation !== '') return perform(response, operation, query < 0 ? '' : url.slice(query + 1));
  } else if (method === 'POST') {
    if (path === '/user') return response.end();
    if (path === '/coin') return coin(request, response);
  } else if (method === 'PUT') {
    const id = after('/users/', path);
    if (id !== '') return users(request, response, id);
  }
  fail(response, 404);
}

function after(prefix, path) {
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  return rest.includes('/') ? '' : rest;
}

function wait(response, ms) {
  const time = wholeNumber(ms);
  if (time === undefined || time > LONGEST_WAIT) return fail(response, 400);
  setTimeout(() => {
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.end(`waited ${ms}`);
  }, time);
}

function echo(response, query) {
  const parameters = new URLSearchParams(query);
  const name = parameters.get('name');
  const [x, y, e] = ['x', 'y', 'e'].map((key) => integer(parameters.get(key)));
  const size = parameters.has('size') ? integer(parameters.get('size')) : 0;
  if (name === null || x === undefined || y === undefined || ![2, 3, 4].includes(e)) {
    return fail(response, 400);
  }
  if (size === undefined || size > LARGEST_ECHO) return fail(response, 400);
  const echoed = { Name: name, Sum: (x + y) * e };
  let body = JSON.stringify(echoed);
  if (size > 0) {
    echoed.Name += 'x'.repeat(Math.max(0, size - Buffer.byteLength(body)));
    body = JSON.stringify(echoed);
  }
  response.setHeader('Content-Type', 'application/json');
  response.end(body);
}

function perform(response, operation, query) {
  const parameters = new URLSearchParams(query);
  switch (operation) {
    case 'Flags': {
      const f = integer(parameters.get('f'));
      return f === undefined ? fail(response, 400) : json(response, { Flags: f });
    }
    case 'Array': {
      const a = parameters.getAll('a').map(integer);
      if (a.includes(undefined)) return fail(response, 400);
      return json(response, { Sum: a.reduce((sum, number) => sum + number, 0) });
    }
    case 'Void':
      return response.end();
    case 'Status': {
      const code = integer(parameters.get('code'));
      // Node throws for a number that is no status, and nothing here catches it.
      return fail(response, code >= 200 && code <= 599 ? code : 400);
    }
    default:
      return fail(response, 404);
  }
}

function json(response, value) {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(value));
}

function coin(request, response) {
  collect(request, response, (body) => {
    const bet = parse(body)?.bet;
    if (typeof bet !== 'boolean') return fail(response, 400);
    const win = (Math.random() < 0.5) === bet;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ win }));
  });
}

function users(request, response, text) {
  collect(request, response, async (body) => {
    const id = wholeNumber(text);
    const password = parse(body)?.password;
    if (id === undefined || typeof password !== 'string') return fail(response, 400);
    try {
      const all = JSON.parse(await readFile(join(DATA_DIR, 'user.json'), 'utf8'));
      if (!all.some((user) => user.id === id)) return fail(response, 404);
      const hash = createHash('sha512').update(password).digest('hex');
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ hash }));
    } catch (error) {
      console.error(error);
      fail(response, 500);
    }
  });
}

function collect(request, response, done) {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text) => {
    body += text;
    if (body.length > BODY_LIMIT) {
      request.removeAllListeners('data').removeAllListeners('end');
      // A connection of HTTP/2 goes on: only the stream ends.
      if (request.httpVersionMajor === 1) response.setHeader('Connection', 'close');
      fail(response, 413);
    }
  });
  request.on('end', () => done(body));
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function wholeNumber(text) {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function integer(text) {
  const number = /^-?\d+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

function fail(response, status) {
  response.statusCode = status;
  response.end();
}
