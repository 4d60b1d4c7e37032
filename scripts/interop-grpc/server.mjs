// A server for scripts/interop-grpc.sh: grpc-js. Method One gives x-echo of a call's metadata back. It ends in order on SIGTERM, and then
// prints how many messages it has received and sent, and how many calls it has ended itself with each status.
//
//     node server.mjs PORT [CERT KEY]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import * as loader from '@grpc/proto-loader';

const [port, cert, key] = process.argv.slice(2);
const definition = loader.loadSync(join(import.meta.dirname, 'numbers.proto'), { keepCase: true, longs: Number, defaults: true });
const { numbers } = grpc.loadPackageDefinition(definition);

const ended = Array(17).fill(0);
let received = 0;
let sent = 0;
const answer = (ask) => ({ number: ask.number, padding: Buffer.alloc(ask.padding) });

const server = new grpc.Server();
server.addService(numbers.Numbers.service, {
  one(call, done) {
    const ask = call.request;
    received += 1;
    setTimeout(() => {
      if (call.cancelled) return;
      const [echo] = call.metadata.get('x-echo');
      if (echo !== undefined) {
        const metadata = new grpc.Metadata();
        metadata.set('x-echo', echo);
        call.sendMetadata(metadata);
      }
      ended[ask.status] += 1;
      if (ask.status !== 0) return done({ code: ask.status, details: 'as was asked' });
      sent += 1;
      done(null, answer(ask));
    }, ask.wait_ms);
  },
  down(call) {
    const ask = call.request;
    received += 1;
    let left = ask.count;
    const more = () => {
      while (left > 0) {
        left -= 1;
        sent += 1;
        if (!call.write(answer(ask))) return call.once('drain', more);
      }
      ended[0] += 1;
      call.end();
    };
    more();
  },
  up(call, done) {
    let number = 0;
    let count = 0;
    call.on('data', (ask) => {
      received += 1;
      number += ask.number;
      count += 1;
    });
    call.on('end', () => {
      ended[0] += 1;
      sent += 1;
      done(null, { number, count });
    });
  },
  both(call) {
    call.on('data', (ask) => {
      received += 1;
      sent += 1;
      call.write(answer(ask));
    });
    call.on('end', () => {
      ended[0] += 1;
      call.end();
    });
  },
});

const credentials = cert
  ? grpc.ServerCredentials.createSsl(null, [{ cert_chain: readFileSync(cert), private_key: readFileSync(key) }])
  : grpc.ServerCredentials.createInsecure();
server.bindAsync(`127.0.0.1:${port}`, credentials, (error) => {
  if (error) throw error;
});
process.on('SIGTERM', () => {
  server.tryShutdown(() => {
    const statuses = ended.flatMap((calls, code) => (calls > 0 ? [`${code}:${calls}`] : []));
    console.log('counted', received, sent, ...statuses);
    process.exit(0);
  });
});
