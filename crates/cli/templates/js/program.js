const { createHash } = require('node:crypto')
const readline = require('node:readline')

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const start = process.hrtime.bigint()
  const result = createHash('sha512').update(line).digest('hex')
  process.stdout.write(`${process.hrtime.bigint() - start}\t${result}\n`)
})
