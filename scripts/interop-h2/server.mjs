// A server for scripts/interop-h2.sh: Node's http2. It answers each request with /f.txt's text, or with as many bytes as the path says,
// reads bodies to their end, ends in order on SIGTERM, and then prints how many requests it has answered.
//
//   node server.mjs PORT TEXT [CERT KEY]
import { readFileSync } from 'node:fs'
import { createSecureServer, createServer } from 'node:http2'

const [port, text, cert, key] = process.argv.slice(2)
const answer = readFileSync(text)
const sessions = new Set()
let answered = 0

const server = cert
  ? createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) })
  : createServer()
server.on('session', (session) => {
  sessions.add(session)
  session.on('close', () => sessions.delete(session))
  session.on('error', () => {})
})
server.on('stream', (stream, headers) => {
  stream.on('error', () => {})
  stream.on('close', () => { if (stream.rstCode === 0) answered += 1 })
  stream.on('end', () => {
    const bytes = /^\/bytes\/(\d+)$/.exec(headers[':path'])
    stream.respond({ ':status': 200 })
    stream.end(bytes ? Buffer.alloc(Number(bytes[1])) : answer)
  })
  stream.resume()
})
server.listen(Number(port), '127.0.0.1')
process.on('SIGTERM', () => {
  for (const session of sessions) session.close()
  server.close(() => console.log('answered', answered))
})
