const http = require('node:http')

function route (request) {
  const [path] = request.url.split('?')
  if (request.method === 'GET') {
    if (path === '/') return ''
    const [, name, value] = path.match(/^\/(hello|user)\/([^/]+)$/) ?? []
    if (name === 'hello' && /^\d+$/.test(value)) return `hello ${value}`
    if (name === 'user') return value
  }
  return request.method === 'POST' && path === '/user' ? '' : undefined
}

const server = http.createServer((request, response) => {
  request.resume().on('end', () => {
    const text = route(request)
    response.writeHead(text === undefined ? 404 : 200, {
      'content-type': 'text/plain',
      'content-length': Buffer.byteLength(text ?? '')
    })
    response.end(text)
  })
})

server.listen(Number(process.env.PORT), process.env.HOST)
