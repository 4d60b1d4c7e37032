import cluster from 'node:cluster';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';

const { HOST, PORT, PROTOCOL, TLS_CERT, TLS_KEY, DATA_DIR } = process.env;
const cores = Number(process.env.CORES);

const coinSchema = {
  body: {
    type: 'object',
    required: ['bet'],
    properties: { bet: { type: 'boolean' } },
  },
  response: {
    200: {
      type: 'object',
      properties: { win: { type: 'boolean' } },
    },
  },
};

const waitSchema = {
  params: {
    type: 'object',
    properties: { ms: { type: 'integer', minimum: 0, maximum: 60_000 } },
  },
};

const echoSchema = {
  querystring: {
    type: 'object',
    required: ['name', 'x', 'y', 'e'],
    properties: {
      name: { type: 'string' },
      x: { type: 'integer' },
      y: { type: 'integer' },
      e: { type: 'integer', enum: [2, 3, 4] },
      size: { type: 'integer', minimum: 0, maximum: 16 * 1024 * 1024 },
    },
  },
  response: {
    200: {
      type: 'object',
      properties: { Name: { type: 'string' }, Sum: { type: 'integer' } },
    },
  },
};

const flagsSchema = {
  querystring: {
    type: 'object',
    required: ['f'],
    properties: { f: { type: 'integer' } },
  },
  response: {
    200: {
      type: 'object',
      properties: { Flags: { type: 'integer' } },
    },
  },
};

const arraySchema = {
  querystring: {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'array', items: { type: 'integer' } } },
  },
  response: {
    200: {
      type: 'object',
      properties: { Sum: { type: 'integer' } },
    },
  },
};

const statusSchema = {
  querystring: {
    type: 'object',
    required: ['code'],
    properties: { code: { type: 'integer' } },
  },
};

// The password has no type here: Fastify's validator would turn other types into a string.
const usersSchema = {
  params: {
    type: 'object',
    properties: { id: { type: 'integer' } },
  },
  body: {
    type: 'object',
    required: ['password'],
  },
  response: {
    200: {
      type: 'object',
      properties: { hash: { type: 'string' } },
    },
  },
};

if (cores > 1 && cluster.isPrimary) {
  for (let i = 0; i < cores; i++) cluster.fork();
} else {
  await serve();
}

async function serve() {
  const app = Fastify({
    http2: PROTOCOL === 'h2c' || PROTOCOL === 'h2',
    ...(TLS_CERT && { https: { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) } }),
  });

  app.get('/', (request, reply) => reply.send());
  app.get('/user/:id', async (request) => request.params.id);
  app.post('/user', (request, reply) => reply.send());
  app.post('/coin', { schema: coinSchema }, async (request) => {
    return { win: (Math.random() < 0.5) === request.body.bet };
  });
  app.get('/wait/:ms', { schema: waitSchema }, async (request) => {
    const { ms } = request.params;
    await sleep(ms);
    return `waited ${ms}`;
  });
  app.get('/Perf/Echo', { schema: echoSchema }, async (request) => {
    const { name, x, y, e, size } = request.query;
    const echoed = { Name: name, Sum: (x + y) * e };
    if (size > 0) {
      echoed.Name += 'x'.repeat(Math.max(0, size - Buffer.byteLength(JSON.stringify(echoed))));
    }
    return echoed;
  });
  app.get('/Perf/Flags', { schema: flagsSchema }, async (request) => {
    return { Flags: request.query.f };
  });
  app.get('/Perf/Array', { schema: arraySchema }, async (request) => {
    return { Sum: request.query.a.reduce((sum, number) => sum + number, 0) };
  });
  app.get('/Perf/Void', async () => {});
  app.get('/Perf/Status', { schema: statusSchema }, async (request) => {
    const error = new Error('the status that was asked for');
    error.statusCode = request.query.code;
    throw error;
  });
  app.get('/Perf/Throw', async () => {
    throw new Error('velo-secret-detail');
  });
  app.put('/users/:id', { schema: usersSchema }, async (request, reply) => {
    const { id } = request.params;
    const { password } = request.body;
    if (typeof password !== 'string') {
      return reply.code(400).send({ error: 'password must be a string' });
    }
    const users = JSON.parse(await readFile(join(DATA_DIR, 'user.json'), 'utf8'));
    if (!users.some((user) => user.id === id)) {
      return reply.code(404).send({ error: 'no such user' });
    }
    return { hash: createHash('sha512').update(password).digest('hex') };
  });

  await app.listen({ host: HOST, port: Number(PORT) });
}
