import cluster from 'node:cluster';
import Fastify from 'fastify';

const { HOST, PORT } = process.env;
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

if (cores > 1 && cluster.isPrimary) {
  for (let i = 0; i < cores; i++) cluster.fork();
} else {
  await serve();
}

async function serve() {
  const app = Fastify();

  app.get('/', (request, reply) => reply.send());
  app.get('/user/:id', async (request) => request.params.id);
  app.post('/user', (request, reply) => reply.send());
  app.post('/coin', { schema: coinSchema }, async (request) => {
    return { win: (Math.random() < 0.5) === request.body.bet };
  });

  await app.listen({ host: HOST, port: Number(PORT) });
}
