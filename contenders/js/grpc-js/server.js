import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import * as loader from '@grpc/proto-loader';

const { HOST, PORT, TLS_CERT, TLS_KEY, DATA_DIR } = process.env;

const protos = ['auth.proto', 'coin.proto', 'void.proto'];
const definition = loader.loadSync(protos, {
  includeDirs: [join(import.meta.dirname, 'proto')],
  keepCase: true,
  longs: Number,
  defaults: true,
  oneofs: true,
});
const { auth, coin, user } = grpc.loadPackageDefinition(definition);

const server = new grpc.Server();

server.addService(user.User.service, {
  index: (call, done) => done(null, {}),
  get: (call, done) => done(null, { id: call.request.id }),
  create: (call, done) => done(null, {}),
});

server.addService(coin.Coin.service, {
  toss(call, done) {
    const { bet } = call.request;
    if (bet === undefined) return done({ code: grpc.status.INVALID_ARGUMENT, details: 'bet is missing' });
    done(null, { win: (Math.random() < 0.5) === bet });
  },
});

server.addService(auth.Auth.service, {
  async test(call, done) {
    const { id, password } = call.request;
    try {
      const all = JSON.parse(await readFile(join(DATA_DIR, 'user.json'), 'utf8'));
      if (!all.some((known) => known.id === id)) {
        return done({ code: grpc.status.NOT_FOUND, details: 'no such user' });
      }
      done(null, { hash: createHash('sha512').update(password).digest('hex') });
    } catch (error) {
      console.error(error);
      done({ code: grpc.status.INTERNAL });
    }
  },
});

server.bindAsync(`${HOST}:${PORT}`, credentials(), (error) => {
  if (error) throw error;
});

function credentials() {
  if (!TLS_CERT) return grpc.ServerCredentials.createInsecure();
  const pair = { cert_chain: readFileSync(TLS_CERT), private_key: readFileSync(TLS_KEY) };
  return grpc.ServerCredentials.createSsl(null, [pair]);
}
